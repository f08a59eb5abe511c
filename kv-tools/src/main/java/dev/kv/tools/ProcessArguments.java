package dev.kv.tools;

import dev.kv.tools.console.Failure;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The arguments of this process, decoded without loss.
 *
 * <p>The JVM decodes arguments in the character set of the locale and replaces each byte that it
 * cannot decode by U+FFFD. In the POSIX locale that is every byte above 0x7f, so that different
 * keys become the same key. Linux keeps the original bytes in {@code /proc/self/cmdline}; an
 * argument that lost bytes is decoded again from there, as UTF-8. If that is impossible, the
 * argument is refused.
 *
 * <p>On Windows, the JVM gets the arguments in the ANSI code page, with a question mark for each
 * character that it lacks. As a question mark is in no file name there, an argument with one is
 * refused, unless the code page is UTF-8.
 */
final class ProcessArguments {
  private static final Path ORIGINAL = Path.of("/proc/self/cmdline");
  private static final char REPLACEMENT = '\ufffd';
  private static final char REPLACEMENT_ON_WINDOWS = '?';

  /** How a long path begins on Windows, alone or as the value of an option. No key does so. */
  private static final String LONG_PATH = "^(--[a-z-]+=)?\\\\\\\\[?]\\\\(?=[A-Za-z]:|UNC\\\\)";

  private ProcessArguments() {}

  /**
   * Returns the arguments as they were typed.
   *
   * @throws Failure if an argument lost bytes that cannot be recovered
   */
  static String[] decode(String... args) {
    return decode(args, File.separatorChar == '\\', localeCharset());
  }

  /**
   * Returns the arguments as they were typed.
   *
   * @param args the arguments as the JVM decoded them
   * @param windows true if the system is Windows
   * @param charset the character set in which the JVM decodes
   * @throws Failure if an argument lost bytes that cannot be recovered, or may have lost characters
   */
  static String[] decode(String[] args, boolean windows, @Nullable Charset charset) {
    if (windows && !StandardCharsets.UTF_8.equals(charset)) {
      requireNoQuestionMark(args, charset);
    }
    for (String arg : args) {
      if (arg.indexOf(REPLACEMENT) >= 0) {
        return decode(args, originals(), charset);
      }
    }
    return args;
  }

  private static void requireNoQuestionMark(String[] args, @Nullable Charset charset) {
    for (int i = 0; i < args.length; i++) {
      if (args[i].replaceFirst(LONG_PATH, "").indexOf(REPLACEMENT_ON_WINDOWS) >= 0) {
        throw new Failure(
            "argument "
                + (i + 1)
                + " has a '?': write '?' as \\x3f; characters that the code page"
                + (charset == null ? "" : " " + charset.name())
                + " lacks arrive as '?': write the bytes of a key or value as \\xNN, or use batch"
                + " or load; a path with them needs its short name, or the code page UTF-8");
      }
    }
  }

  /**
   * Returns the arguments as they were typed.
   *
   * @param args the arguments as the JVM decoded them
   * @param originals the words of the whole command line, of which the arguments are the last;
   *     empty if they are unknown
   * @param charset the character set in which the JVM decodes
   * @throws Failure if an argument lost bytes that cannot be recovered
   */
  static String[] decode(String[] args, List<byte[]> originals, @Nullable Charset charset) {
    String[] decoded = args.clone();
    int skipped = originals.size() - args.length;
    boolean known = charset != null && skipped >= 0;
    for (int i = 0; known && i < args.length; i++) {
      known = new String(originals.get(skipped + i), charset).equals(args[i]);
    }
    for (int i = 0; i < args.length; i++) {
      if (args[i].indexOf(REPLACEMENT) >= 0) {
        String utf8 = known ? utf8(originals.get(skipped + i)) : null;
        if (utf8 == null) {
          throw new Failure(
              "argument "
                  + (i + 1)
                  + (known ? " is not UTF-8" : " has bytes outside the character set of the locale")
                  + ": write each such byte as \\xNN"
                  + (known ? "" : ", or set LC_ALL=C.UTF-8"));
        }
        decoded[i] = utf8;
      }
    }
    return decoded;
  }

  private static @Nullable String utf8(byte[] bytes) {
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException malformed) {
      return null;
    }
  }

  /** Returns the character set of file names and arguments, or null if it is unknown. */
  static @Nullable Charset localeCharset() {
    try {
      return Charset.forName(System.getProperty("sun.jnu.encoding", ""));
    } catch (IllegalArgumentException unknown) {
      return null;
    }
  }

  /** Returns the words of the command line, or none if the system does not tell. */
  private static List<byte[]> originals() {
    List<byte[]> words = new ArrayList<>();
    try {
      ByteArrayOutputStream word = new ByteArrayOutputStream();
      for (byte b : Files.readAllBytes(ORIGINAL)) {
        if (b == 0) {
          words.add(word.toByteArray());
          word.reset();
        } else {
          word.write(b);
        }
      }
    } catch (IOException notLinux) {
      words.clear();
    }
    return words;
  }
}

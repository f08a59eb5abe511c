package dev.kv.tools;

import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Conversions of arguments whose messages say what is wrong in plain words. */
final class ArgumentTypes {
  private static final Pattern DURATION = Pattern.compile("(?<count>\\d+)(?<unit>[smhd])");

  private ArgumentTypes() {}

  /** Makes a command line and its subcommands use these conversions. */
  static void register(CommandLine commandLine) {
    commandLine.registerConverter(Path.class, ArgumentTypes::path);
    ITypeConverter<Integer> ints = text -> number(text, Integer::valueOf);
    ITypeConverter<Long> longs = text -> number(text, Long::valueOf);
    commandLine.registerConverter(int.class, ints);
    commandLine.registerConverter(Integer.class, ints);
    commandLine.registerConverter(long.class, longs);
    commandLine.registerConverter(Long.class, longs);
    commandLine.registerConverter(Duration.class, ArgumentTypes::duration);
  }

  private static Duration duration(String text) {
    if (text.equals("0")) {
      return Duration.ZERO;
    }
    Matcher matcher = DURATION.matcher(text);
    if (!matcher.matches()) {
      throw new TypeConversionException(
          "'" + text + "' is not a length of time such as 0, 90m, 12h or 30d");
    }
    long count = number(matcher.group("count"), Long::valueOf);
    try {
      return switch (matcher.group("unit")) {
        case "s" -> Duration.ofSeconds(count);
        case "m" -> Duration.ofMinutes(count);
        case "h" -> Duration.ofHours(count);
        default -> Duration.ofDays(count);
      };
    } catch (ArithmeticException e) {
      throw new TypeConversionException("'" + text + "' is too long a time");
    }
  }

  /** An empty text is refused: as a path it would be the working directory. */
  private static Path path(String text) {
    if (text.isEmpty()) {
      throw new TypeConversionException("'' is not a file name; . is the working directory");
    }
    try {
      Path path = Path.of(text);
      if (!path.isAbsolute() && !hasWorkingDirectory()) {
        throw new TypeConversionException(
            "'"
                + text
                + "' is in a working directory whose name is not in the character set of this"
                + " locale, or that was deleted: set LC_ALL=C.UTF-8");
      }
      return path;
    } catch (InvalidPathException e) {
      boolean ascii = StandardCharsets.US_ASCII.newEncoder().canEncode(text);
      throw new TypeConversionException(
          "'"
              + text
              + (ascii
                  ? "' is not a file name: " + e.getReason()
                  : "' is not a file name in the character set of this locale: set"
                      + " LC_ALL=C.UTF-8"));
    }
  }

  /** Returns true if relative paths are in the directory in which the process was started. */
  private static boolean hasWorkingDirectory() {
    Charset charset = ProcessArguments.localeCharset();
    return isDirectory(System.getProperty("user.dir"), charset);
  }

  /** Returns true for the name of a directory that loses nothing in a character set. */
  static boolean isDirectory(String name, @Nullable Charset charset) {
    return (charset == null || charset.newEncoder().canEncode(name))
        && Files.isDirectory(Path.of(name));
  }

  private static <T> T number(String text, Function<String, T> parse) {
    try {
      return parse.apply(text);
    } catch (NumberFormatException malformed) {
      boolean integer = text.matches("[+-]?\\d+");
      throw new TypeConversionException(
          "'" + text + (integer ? "' is too large a number" : "' is not a number"));
    }
  }
}

package dev.kv.core.manifest;

import dev.kv.core.env.FileContents;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

/**
 * The content of the file CURRENT: the name of the MANIFEST in use and a newline. It has no
 * checksum, so the parser is strict: it accepts only the name of a file in the directory.
 *
 * @param manifest the MANIFEST's name
 * @param number the number in that name
 */
public record CurrentFile(String manifest, long number) {
  /**
   * The read limit, larger than the longest content: {@code MANIFEST-}, 19 digits and a newline.
   */
  private static final int MAX_BYTES = 64;

  /**
   * Reads CURRENT.
   *
   * @throws java.nio.file.NoSuchFileException if there is none
   */
  public static CurrentFile read(Env env, Path directory) throws IOException {
    return readFile(env, FileNames.current(directory));
  }

  /** Reads a file with the content of CURRENT; like {@link #read} otherwise. */
  public static CurrentFile readFile(Env env, Path file) throws IOException {
    return parse(FileContents.head(env, file, MAX_BYTES), file.toString());
  }

  static CurrentFile parse(byte[] content, String file) {
    String text = new String(content, StandardCharsets.ISO_8859_1);
    if (!text.endsWith("\n")) {
      throw corruption("CURRENT does not end in a newline", file);
    }
    String manifest = text.substring(0, text.length() - 1);
    FileName name = FileNames.parse(manifest);
    if (name == null || name.kind() != FileName.Kind.MANIFEST) {
      throw corruption("CURRENT does not name a MANIFEST", file);
    }
    return new CurrentFile(manifest, name.number());
  }

  /** Makes CURRENT name the MANIFEST of that number. */
  public static void write(Env env, Path directory, long manifestNumber) throws IOException {
    try (WritableFile out = prepare(env, directory, manifestNumber)) {
      out.sync();
    }
    change(env, directory, manifestNumber);
  }

  /** Writes the new CURRENT under a temporary name. The caller syncs and closes it. */
  static WritableFile prepare(Env env, Path directory, long manifestNumber) throws IOException {
    String content = FileNames.manifest(Path.of(""), manifestNumber).getFileName() + "\n";
    byte[] bytes = content.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer buffer = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    WritableFile out = env.createWritable(FileNames.temp(directory, manifestNumber));
    try {
      out.append(buffer);
      return out;
    } catch (Throwable e) {
      out.close();
      throw e;
    }
  }

  /**
   * Renames the prepared file to CURRENT and syncs the directory. After an exception, CURRENT may
   * name the old or the new MANIFEST, so neither may be deleted.
   */
  static void change(Env env, Path directory, long manifestNumber) throws IOException {
    env.rename(FileNames.temp(directory, manifestNumber), FileNames.current(directory));
    env.syncDirectory(directory);
  }

  private static CorruptionException corruption(String message, String file) {
    return new CorruptionException(message, file, 0);
  }
}

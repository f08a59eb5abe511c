package dev.kv.core.fuzz;

import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * The files of a directory as one input.
 *
 * <pre>
 * input := modes file*
 * file  := name:byte length:fixed16 bytes       the name's place in {@link #NAMES}, the last file may be short
 * </pre>
 */
final class FileSet {
  static final List<String> NAMES =
      List.of(
          "MANIFEST-000002",
          "000006.log",
          "000005.ldb",
          "000007.ldb",
          "000003.log",
          "000009.sst",
          "CURRENT",
          "MANIFEST-000001");

  private FileSet() {}

  /** Returns a file's place in an input. */
  static byte[] encode(String name, byte[] content) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    out.write(NAMES.indexOf(name));
    out.write(content.length);
    out.write(content.length >>> 8);
    out.writeBytes(content);
    return out.toByteArray();
  }

  /**
   * Writes the files of an input, and CURRENT if it has none.
   *
   * @param from where the files begin
   * @param seal whether to make the checksums right
   */
  static void write(byte[] input, int from, boolean seal, Env env, Path directory)
      throws IOException {
    env.createDirectory(directory);
    write(
        env, directory.resolve("CURRENT"), "MANIFEST-000002\n".getBytes(StandardCharsets.US_ASCII));
    for (int at = from; at + 3 <= input.length; ) {
      String name = NAMES.get(Math.floorMod(input[at], NAMES.size()));
      int length = (input[at + 1] & 0xff) | (input[at + 2] & 0xff) << 8;
      int end = Math.min(input.length, at + 3 + length);
      byte[] content = Arrays.copyOfRange(input, at + 3, end);
      write(env, directory.resolve(name), seal ? sealed(name, content) : content);
      at = end;
    }
  }

  private static byte[] sealed(String name, byte[] content) {
    if (name.equals("CURRENT")) {
      return content;
    }
    return name.endsWith(".ldb") || name.endsWith(".sst")
        ? Checksums.ofTable(content)
        : Checksums.ofLog(content);
  }

  static void write(Env env, Path file, byte[] content) throws IOException {
    try (WritableFile out = env.createWritable(file)) {
      out.append(ByteBuffer.allocateDirect(content.length).put(content).flip());
      out.sync();
    }
  }

  static byte[] read(Env env, Path file) throws IOException {
    ByteBuffer content = ByteBuffer.allocateDirect((int) env.size(file));
    try (SequentialFile in = env.openSequential(file)) {
      while (content.hasRemaining() && in.read(content) >= 0) {
        continue;
      }
    }
    byte[] bytes = new byte[content.position()];
    content.get(0, bytes);
    return bytes;
  }
}

package dev.kv.core.fuzz;

import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;

/**
 * Encodes the files of a directory as one input.
 *
 * <pre>
 * input := modes file*
 * file  := name:byte length:fixed16 bytes       name is an index into {@link #NAMES}; the last
 *                                               file may be short
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

  /** Returns the encoding of a file. */
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
   * @param from the offset of the first file
   * @param seal true to correct the checksums
   */
  static void write(byte[] input, int from, boolean seal, Env env, Path directory)
      throws IOException {
    env.createDirectory(directory);
    byte[] current = "MANIFEST-000002\n".getBytes(StandardCharsets.US_ASCII);
    EnvFiles.write(env, directory.resolve("CURRENT"), current);
    for (int at = from; at + 3 <= input.length; ) {
      String name = NAMES.get(Math.floorMod(input[at], NAMES.size()));
      int length = (input[at + 1] & 0xff) | (input[at + 2] & 0xff) << 8;
      int end = Math.min(input.length, at + 3 + length);
      byte[] content = Arrays.copyOfRange(input, at + 3, end);
      EnvFiles.write(env, directory.resolve(name), seal ? sealed(name, content) : content);
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
}

package dev.kv.core;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** A file that was cut short after it was mapped. */
public final class CutFile {
  private CutFile() {}

  /**
   * Creates {@code file} with 40,000 zeros, maps it, and cuts it to 5,000.
   *
   * @param file a new file
   * @return the mapping, whose later pages are missing
   * @throws IOException if it cannot be done
   */
  public static ByteBuffer map(Path file) throws IOException {
    try (FileChannel channel =
        FileChannel.open(
            file, StandardOpenOption.CREATE, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
      ByteBuffer mapped = channel.map(FileChannel.MapMode.READ_WRITE, 0, 40_000);
      channel.truncate(5_000);
      return mapped;
    }
  }
}

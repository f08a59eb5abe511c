package dev.kv.core.env;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** The call that makes the whole of an open file durable, its size included. */
enum DescriptorSync {
  /**
   * fsync of the descriptor, which no interrupt can fail. On Linux it covers dirty mapped pages.
   */
  DESCRIPTOR {
    @Override
    void sync(Path path, RandomAccessFile file) throws IOException {
      file.getFD().sync();
    }
  },
  /**
   * force of a channel: on macOS only that is F_FULLFSYNC, which reaches the platter. The channel
   * is opened for this one call, so no other thread notices if an interrupt closes it.
   */
  CHANNEL {
    @Override
    void sync(Path path, RandomAccessFile file) throws IOException {
      Uninterrupted.runAgain(
          () -> {
            try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
              channel.force(true);
              return path;
            }
          });
    }
  };

  static DescriptorSync forSystem() {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    return name.contains("mac") || name.contains("darwin") ? CHANNEL : DESCRIPTOR;
  }

  /** Makes {@code file}, opened at {@code path}, durable. */
  abstract void sync(Path path, RandomAccessFile file) throws IOException;
}

package dev.kv.core.env;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** The call that makes all of an open file durable, including its size. */
enum DescriptorSync {
  /**
   * fsync of the descriptor. An interrupt cannot make it fail. On Linux it covers dirty mapped
   * pages.
   */
  DESCRIPTOR {
    @Override
    void sync(Path path, RandomAccessFile file) throws IOException {
      file.getFD().sync();
    }
  },
  /**
   * force() of a channel. On macOS only this call is F_FULLFSYNC, which also flushes the drive's
   * cache. The channel is opened for this one call, so no other thread notices if an interrupt
   * closes it.
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

package dev.kv.core.env;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** The call that makes all that was written to an open file durable, including its size. */
abstract class DescriptorSync {
  /** fsync of the descriptor on Linux, which covers dirty mapped pages. */
  static final DescriptorSync LINUX = new Descriptor(true);

  /** The same elsewhere; on Windows FlushFileBuffers, which leaves dirty mapped pages alone. */
  static final DescriptorSync DESCRIPTOR = new Descriptor(false);

  /**
   * force() of a channel. On macOS only this call is F_FULLFSYNC, which also flushes the drive's
   * cache.
   */
  static final DescriptorSync MACOS = new Channel();

  /** Returns the call of this system. */
  static DescriptorSync forSystem() {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    if (name.contains("mac") || name.contains("darwin")) {
      return MACOS;
    }
    return name.contains("linux") ? LINUX : DESCRIPTOR;
  }

  /** Makes {@code file}, opened at {@code path}, durable. */
  abstract void sync(Path path, RandomAccessFile file) throws IOException;

  /** Returns true if the call also writes what was stored through a mapping. */
  abstract boolean coversMappedPages();

  /** Returns true if a force of mapped pages alone does not make them durable. */
  abstract boolean completesForce();

  /** An interrupt cannot make it fail. */
  private static final class Descriptor extends DescriptorSync {
    private final boolean coversMappedPages;

    Descriptor(boolean coversMappedPages) {
      this.coversMappedPages = coversMappedPages;
    }

    @Override
    void sync(Path path, RandomAccessFile file) throws IOException {
      file.getFD().sync();
    }

    @Override
    boolean coversMappedPages() {
      return coversMappedPages;
    }

    @Override
    boolean completesForce() {
      return false;
    }
  }

  /** The channel is opened for one call: no other thread notices if an interrupt closes it. */
  private static final class Channel extends DescriptorSync {
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

    @Override
    boolean coversMappedPages() {
      return false;
    }

    @Override
    boolean completesForce() {
      return true;
    }
  }
}

package dev.kv.core.env;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Locale;

/** The call that makes all that was written to an open file durable, including its size. */
class DescriptorSync {
  /** fsync of the descriptor on Linux, which covers dirty mapped pages. */
  static final DescriptorSync LINUX = new DescriptorSync(true, false);

  /** The same elsewhere; on Windows FlushFileBuffers, which leaves dirty mapped pages alone. */
  static final DescriptorSync DESCRIPTOR = new DescriptorSync(false, false);

  /**
   * force() of a channel. On macOS only this call is F_FULLFSYNC, which also flushes the drive's
   * cache.
   */
  static final DescriptorSync MACOS = new DescriptorSync(false, true);

  private final boolean coversMappedPages;
  private final boolean completesForce;

  /**
   * Creates a call: force() of a channel if a force of mapped pages needs one, or else fsync.
   *
   * @param coversMappedPages true if the call also writes what was stored through a mapping
   * @param completesForce true if a force of mapped pages alone does not make them durable
   */
  DescriptorSync(boolean coversMappedPages, boolean completesForce) {
    this.coversMappedPages = coversMappedPages;
    this.completesForce = completesForce;
  }

  /** Returns the call of this system. */
  static DescriptorSync forSystem() {
    String name = System.getProperty("os.name", "").toLowerCase(Locale.ROOT);
    if (name.contains("mac") || name.contains("darwin")) {
      return MACOS;
    }
    return name.contains("linux") ? LINUX : DESCRIPTOR;
  }

  /** Returns true if the call also writes what was stored through a mapping. */
  boolean coversMappedPages() {
    return coversMappedPages;
  }

  /** Returns true if a force of mapped pages alone does not make them durable. */
  boolean completesForce() {
    return completesForce;
  }

  /** Makes {@code file}, opened at {@code path}, durable. */
  void sync(Path path, RandomAccessFile file) throws IOException {
    if (completesForce) {
      force(path);
    } else {
      file.getFD().sync(); // an interrupt cannot make it fail
    }
  }

  /** The channel is opened for one call: no other thread notices if an interrupt closes it. */
  private static void force(Path path) throws IOException {
    Uninterrupted.runAgain(
        () -> {
          try (FileChannel channel = FileChannel.open(path, StandardOpenOption.WRITE)) {
            channel.force(true);
            return path;
          }
        });
  }
}

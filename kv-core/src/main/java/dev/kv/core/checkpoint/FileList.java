package dev.kv.core.checkpoint;

import dev.kv.admin.LiveFiles;
import java.util.List;
import java.util.concurrent.atomic.AtomicBoolean;

/** The files of one moment, and what ends their protection. */
final class FileList implements LiveFiles {
  private final long sequence;
  private final List<LiveFiles.File> files;
  private final Runnable release;
  private final AtomicBoolean closed = new AtomicBoolean();

  /** Creates the list; {@code release} is called once, by the close. */
  FileList(long sequence, List<LiveFiles.File> files, Runnable release) {
    this.sequence = sequence;
    this.files = List.copyOf(files);
    this.release = release;
  }

  @Override
  public long sequence() {
    return sequence;
  }

  @Override
  public List<LiveFiles.File> files() {
    return files;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release.run();
    }
  }
}

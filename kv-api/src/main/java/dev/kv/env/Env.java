package dev.kv.env;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The operating system as a database sees it: files, directories, locks, clock and threads.
 * Thread-safe. Wrap one with {@link ForwardingEnv}, and its files with {@link
 * ForwardingSequentialFile}, {@link ForwardingRandomAccessFile}, {@link ForwardingWritableFile} and
 * {@link ForwardingMappedLogFile}. Every implementation passes the same contract test.
 *
 * <p>A missing file is a {@link java.nio.file.NoSuchFileException}. Names that a database gives are
 * always children of its directory.
 */
public interface Env {

  /** Returns the environment of the file system. */
  static Env fileSystem() {
    return EnvProvider.instance().fileSystem();
  }

  /** Returns a new environment whose files live in memory and die with it. */
  static Env inMemory() {
    return EnvProvider.instance().newInMemory();
  }

  /** Opens a file for reading from its beginning. */
  SequentialFile openSequential(Path file) throws IOException;

  /**
   * Opens a file for reading at positions.
   *
   * @param map whether to map it into memory, where the environment can
   */
  RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException;

  /** Creates a file for writing, empty: one that exists is truncated. */
  WritableFile createWritable(Path file) throws IOException;

  /** Opens a file for writing at its end; one that does not exist is created. */
  WritableFile openAppendable(Path file) throws IOException;

  /**
   * Creates a file as a mapped log, or returns null where the environment has none: then the log is
   * written through {@link #createWritable}.
   */
  @Nullable MappedLogFile createMappedLog(Path file) throws IOException;

  /** Returns whether a file or directory of that name is there. */
  boolean exists(Path file) throws IOException;

  /**
   * Returns the names of a directory's children, in no order.
   *
   * @throws java.nio.file.NotDirectoryException if a file of that name is there
   */
  List<String> list(Path directory) throws IOException;

  /** Deletes a file. */
  void delete(Path file) throws IOException;

  /**
   * Creates a directory and its parents; one that is there is no error.
   *
   * @throws java.nio.file.FileAlreadyExistsException if a file of that name is there
   */
  void createDirectory(Path directory) throws IOException;

  /** Deletes an empty directory. */
  void deleteDirectory(Path directory) throws IOException;

  /** Returns a file's size in bytes. */
  long size(Path file) throws IOException;

  /** Renames a file in one step; one of the new name is replaced. */
  void rename(Path from, Path to) throws IOException;

  /** Makes a directory's entries (creations, renames, deletions) durable. */
  void syncDirectory(Path directory) throws IOException;

  /**
   * Locks a file, which is created if it does not exist, against this and every other process,
   * through whatever path or link it is reached.
   *
   * @return the lock, or null if it is held already
   */
  @Nullable Lock lock(Path file) throws IOException;

  /** Returns microseconds from a fixed point in time, never going back. */
  long nowMicros();

  /** Waits. An interrupt does not end it and stays set. */
  void sleepMicros(long micros);

  /** Starts a daemon thread. */
  Thread startThread(String name, Runnable task);

  /** A lock on a file; held until closed. Closing twice does nothing. */
  interface Lock extends AutoCloseable {
    @Override
    void close() throws IOException;
  }
}

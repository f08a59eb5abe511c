package dev.kv.env;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The parts of the operating system that a database uses: files, directories, locks, clock and
 * threads. Thread-safe.
 *
 * <p>To change a part, extend {@link ForwardingEnv}, {@link ForwardingSequentialFile}, {@link
 * ForwardingRandomAccessFile}, {@link ForwardingWritableFile} and {@link ForwardingMappedLogFile}.
 *
 * <p>A missing file is a {@link java.nio.file.NoSuchFileException}. A database passes only paths of
 * its directory and of files in it, and in its subdirectory {@code lost}. If it is new, it also
 * looks whether the directories above exist, and syncs them. An ingest also opens the tables that
 * it is given; a checkpoint and a restore pass their target, its parent, and a directory beside it
 * with files and a subdirectory.
 */
public interface Env {

  /**
   * Returns the environment of the file system.
   *
   * @return the environment, always the same object
   */
  static Env fileSystem() {
    return EnvProvider.instance().fileSystem();
  }

  /**
   * Creates an environment whose files are in memory. They exist as long as it does.
   *
   * @return a new environment without files
   */
  static Env inMemory() {
    return new MemEnv();
  }

  /**
   * Opens a file to read it from its beginning.
   *
   * @param file the path of the file
   * @return the file, which the caller closes
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws IOException if the file cannot be opened
   */
  SequentialFile openSequential(Path file) throws IOException;

  /**
   * Opens a file to read it at any position.
   *
   * @param file the path of the file
   * @param map whether to map the file into memory, if the environment can
   * @return the file, which the caller closes
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws IOException if the file cannot be opened
   */
  RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException;

  /**
   * Creates an empty file to write it. A file that exists is truncated.
   *
   * @param file the path of the file
   * @return the file, which the caller closes
   * @throws IOException if the file cannot be created
   */
  WritableFile createWritable(Path file) throws IOException;

  /**
   * Opens a file to write at its end. It is created if it does not exist.
   *
   * @param file the path of the file
   * @return the file, which the caller closes
   * @throws IOException if the file cannot be opened
   */
  WritableFile openAppendable(Path file) throws IOException;

  /**
   * Creates a log file that is written through mapped memory.
   *
   * @param file the path of the file
   * @return the file, which the caller closes, or null if the environment has no such files; the
   *     log is then written through {@link #createWritable}
   * @throws IOException if the file cannot be created
   */
  @Nullable MappedLogFile createMappedLog(Path file) throws IOException;

  /**
   * Returns true if a file or directory exists.
   *
   * @param file its path
   * @return true if it exists
   * @throws IOException if the file system cannot tell
   */
  boolean exists(Path file) throws IOException;

  /**
   * Returns the names of the files and directories in a directory.
   *
   * @param directory the path of the directory
   * @return the names, in any order
   * @throws java.nio.file.NoSuchFileException if the directory does not exist
   * @throws java.nio.file.NotDirectoryException if {@code directory} is a file
   * @throws IOException if the directory cannot be read
   */
  List<String> list(Path directory) throws IOException;

  /**
   * Deletes a file.
   *
   * @param file the path of the file
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws IOException if the file cannot be deleted
   */
  void delete(Path file) throws IOException;

  /**
   * Creates a directory and its parents. It is no error if they exist.
   *
   * @param directory the path of the directory
   * @throws java.nio.file.FileAlreadyExistsException if {@code directory} is a file
   * @throws IOException if the directory cannot be created
   */
  void createDirectory(Path directory) throws IOException;

  /**
   * Deletes an empty directory.
   *
   * @param directory the path of the directory
   * @throws java.nio.file.DirectoryNotEmptyException if the directory is not empty
   * @throws IOException if the directory cannot be deleted
   */
  void deleteDirectory(Path directory) throws IOException;

  /**
   * Returns the size of a file.
   *
   * @param file the path of the file
   * @return the size in bytes
   * @throws java.nio.file.NoSuchFileException if the file does not exist
   * @throws IOException if the size cannot be read
   */
  long size(Path file) throws IOException;

  /**
   * Renames a file or a directory atomically. A file with the new name is replaced. A directory
   * keeps its files, and replaces nothing: the new name must not exist.
   *
   * @param from the present path
   * @param to the new path
   * @throws IOException if the file or directory cannot be renamed
   */
  void rename(Path from, Path to) throws IOException;

  /**
   * Gives a file a second name, a hard link. Both names are equal: the bytes exist until both are
   * deleted. The new name is durable after {@link #syncDirectory}.
   *
   * <p>The default links nothing and returns false.
   *
   * @param existing the path of the file
   * @param link the second path
   * @return true if the file has the second name now; false if the environment cannot link these
   *     two paths, for example because they are on different file systems, and nothing has changed
   * @throws java.nio.file.NoSuchFileException if {@code existing} does not exist
   * @throws java.nio.file.FileAlreadyExistsException if {@code link} exists
   * @throws IOException if the link fails for another reason
   */
  default boolean link(Path existing, Path link) throws IOException {
    return false;
  }

  /**
   * Returns true if a path itself is a symbolic link, to a file or a directory. Files are deleted
   * only in directories that are none.
   *
   * <p>The default returns false, as in an environment without links.
   *
   * @param path the path
   * @return true if it is a link
   * @throws IOException if the file system cannot tell
   */
  default boolean isSymbolicLink(Path path) throws IOException {
    return false;
  }

  /**
   * Makes the entries of a directory durable: creations, renames and deletions.
   *
   * @param directory the path of the directory
   * @throws java.nio.file.FileSystemException if the directory cannot be opened, and nothing was
   *     synced: it may be tried again
   * @throws IOException if the sync fails; it is unknown whether a later one repairs that
   */
  void syncDirectory(Path directory) throws IOException;

  /**
   * Locks a file against this and every other process, even if they reach it by another path or
   * link. The file is created if it does not exist.
   *
   * @param file the path of the file
   * @return the lock, which the caller closes, or null if the file is locked already
   * @throws IOException if the file cannot be locked
   */
  @Nullable Lock lock(Path file) throws IOException;

  /**
   * Returns the time from a fixed point. It never goes back.
   *
   * @return the time in microseconds
   */
  long nowMicros();

  /**
   * Sleeps. An interrupt does not end the sleep, and the thread's interrupt status stays set.
   *
   * @param micros the time in microseconds
   */
  void sleepMicros(long micros);

  /**
   * Starts a daemon thread.
   *
   * @param name the name of the thread
   * @param task what the thread runs
   * @return the thread, started
   */
  Thread startThread(String name, Runnable task);

  /** A lock on a file. It is held until it is closed. */
  interface Lock extends AutoCloseable {
    /** Releases the lock. Closing it twice does nothing. */
    @Override
    void close() throws IOException;
  }
}

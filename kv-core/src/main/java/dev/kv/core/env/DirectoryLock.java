package dev.kv.core.env;

import dev.kv.env.Env;
import java.io.File;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.channels.OverlappingFileLockException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * The lock on a database's directory: a lock of the operating system on its file LOCK, and an entry
 * in a registry of this process.
 *
 * <p>POSIX silently drops the lock as soon as the process closes any descriptor of the file. So a
 * process that holds the lock must not even open LOCK. On Windows a lock belongs to a handle. The
 * registry is checked before the file is opened. The registry is kept in the system properties, as
 * strings under {@link #PREFIX}: only the runtime's own classes are common to all class loaders
 * that may have loaded this class, and programs that iterate over the properties expect strings.
 *
 * <p>The keys are the real path, so that a symbolic link to the directory gives the same key, and
 * the file's identity (device and inode), so that a second mount or a hard link does too. The
 * identity stays valid: while the lock is held the file is open, so its inode is not reused. That
 * of a database that nobody closes stays open, too, even if nothing else refers to the database.
 */
final class DirectoryLock implements Env.Lock {
  private static final String PREFIX = "dev.kv.lock:";
  private static final String HELD = "held";
  private static final boolean WINDOWS = File.separatorChar == '\\';

  // The collector would close the file of a lock that is only in the registry.
  private static final Set<DirectoryLock> ALL_HELD = ConcurrentHashMap.newKeySet();

  private final FileChannel channel;
  private final List<String> keys;
  private final AtomicBoolean closed = new AtomicBoolean();

  private DirectoryLock(FileChannel channel, List<String> keys) {
    this.channel = channel;
    this.keys = keys;
  }

  /**
   * Locks {@code file}.
   *
   * @param unclosable keeps channels that must stay open, because closing them would drop a lock of
   *     code that does not use this registry
   * @return the lock, or null if it is held
   */
  static @Nullable DirectoryLock acquire(Path file, Queue<FileChannel> unclosable)
      throws IOException {
    return acquire(file, unclosable, null);
  }

  /**
   * Does the same.
   *
   * @param opened runs between the open of the file and its lock, if not null
   */
  static @Nullable DirectoryLock acquire(
      Path file, Queue<FileChannel> unclosable, @Nullable Runnable opened) throws IOException {
    Path real = realPath(file);
    List<String> keys = new ArrayList<>();
    FileChannel channel = null;
    try {
      if (register("path:" + real, keys) && registerIdentity(real, keys)) {
        channel = Uninterrupted.runAgain(() -> open(real, unclosable, opened));
      }
      if (channel != null) {
        registerIdentity(real, keys);
        DirectoryLock lock = new DirectoryLock(channel, keys);
        ALL_HELD.add(lock);
        return lock;
      }
    } catch (Throwable e) {
      if (channel != null) {
        closeQuietly(channel);
      }
      unregister(keys);
      throw e;
    }
    unregister(keys);
    return null;
  }

  /** Returns true if {@code file} is locked by this process: it must not be opened then. */
  static boolean isHeld(Path file) throws IOException {
    try {
      Path real = file.toRealPath();
      String identity = identity(real);
      return System.getProperty(PREFIX + "path:" + real) != null
          || (identity != null && System.getProperty(PREFIX + identity) != null);
    } catch (NoSuchFileException e) {
      return false;
    }
  }

  private static Path realPath(Path file) throws IOException {
    if (Files.isSymbolicLink(file)) {
      throw new FileSystemException(file.toString(), null, "is a symbolic link: not locked");
    }
    Path parent = file.toAbsolutePath().getParent();
    Path name = file.getFileName();
    if (parent == null || name == null) {
      throw new FileSystemException(file.toString(), null, "is not a file that can be locked");
    }
    return parent.toRealPath().resolve(name);
  }

  /**
   * Opens and locks; null if the lock is held elsewhere. Whoever held it before may have deleted
   * the file in between: then the lock is one of a file without a name, which excludes nobody, and
   * the next one is tried.
   */
  private static @Nullable FileChannel open(
      Path real, Queue<FileChannel> unclosable, @Nullable Runnable opened) throws IOException {
    while (true) {
      RegularFile.require(real, LinkOption.NOFOLLOW_LINKS);
      String before = identity(real); // that of the file to open, if it is the same afterwards
      FileChannel channel =
          FileChannel.open(
              real, StandardOpenOption.CREATE, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
      try {
        if (opened != null) {
          opened.run();
        }
        if (!lock(channel, unclosable)) {
          return null;
        }
        if (Objects.equals(before, identity(real)) && Files.exists(real)) {
          return channel;
        }
      } catch (Throwable e) {
        closeQuietly(channel);
        throw e;
      }
      closeQuietly(channel);
    }
  }

  private static void closeQuietly(FileChannel channel) {
    try {
      channel.close();
    } catch (IOException e) {
      return; // its lock is of no use
    }
  }

  /** Locks, or closes the channel and returns false if the lock is held elsewhere. */
  private static boolean lock(FileChannel channel, Queue<FileChannel> unclosable)
      throws IOException {
    FileLock lock = null;
    boolean close = true;
    try {
      lock = channel.tryLock();
    } catch (OverlappingFileLockException e) {
      if (!WINDOWS) {
        unclosable.add(channel);
        close = false;
      }
    } finally {
      if (lock == null && close) {
        channel.close();
      }
    }
    return lock != null;
  }

  private static boolean registerIdentity(Path real, List<String> keys) throws IOException {
    String identity = identity(real);
    return identity == null || keys.contains(PREFIX + identity) || register(identity, keys);
  }

  private static boolean register(String name, List<String> keys) {
    String key = PREFIX + name;
    if (System.getProperties().putIfAbsent(key, HELD) != null) {
      return false;
    }
    keys.add(key);
    return true;
  }

  private static void unregister(List<String> keys) {
    for (String key : keys) {
      System.getProperties().remove(key);
    }
  }

  /** Returns the file's identity, or null if it does not exist or the file system has none. */
  private static @Nullable String identity(Path real) throws IOException {
    try {
      Object key =
          Files.readAttributes(real, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS)
              .fileKey();
      return key == null ? null : "file:" + key;
    } catch (NoSuchFileException e) {
      return null;
    }
  }

  @Override
  public void close() throws IOException {
    if (closed.compareAndSet(false, true)) {
      try {
        channel.close();
      } finally {
        unregister(keys);
        ALL_HELD.remove(this);
      }
    }
  }
}

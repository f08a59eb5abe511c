package dev.kv.core.env;

import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.FileNotFoundException;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The environment of the default file system. Files are read and written through
 * java.io.RandomAccessFile and mappings; a channel is opened for a single call only, so an
 * interrupt of a caller's thread closes nothing that other threads use.
 */
public final class FileEnv implements Env {
  private static final EngineLogger LOG = EngineLogger.of(FileEnv.class);
  private static final boolean WINDOWS =
      System.getProperty("os.name", "").toLowerCase(Locale.ROOT).startsWith("windows");
  private static final int TRIES = WINDOWS ? 20 : 1;
  private static final long PAUSE_MICROS = 10_000;
  private static final int MAX_REFUSED = 1000;

  private final @Nullable Mapper mapper;
  private final Unmapper unmapper = new Unmapper(WINDOWS);
  private final DescriptorSync descriptorSync = DescriptorSync.forSystem();
  private final Retries retries = new Retries(TRIES, MAX_REFUSED, () -> sleepMicros(PAUSE_MICROS));

  /** Channels of lock files that stay open until the process ends. */
  private final Queue<FileChannel> unclosable = new ConcurrentLinkedQueue<>();

  /** Creates an environment; one is enough for a process. */
  public FileEnv() {
    this(Mapper.forRuntime());
  }

  FileEnv(@Nullable Mapper mapper) {
    this.mapper = mapper;
  }

  @Override
  public long nowMicros() {
    return TimeUnit.NANOSECONDS.toMicros(System.nanoTime());
  }

  @Override
  public void sleepMicros(long micros) {
    long deadline = System.nanoTime() + TimeUnit.MICROSECONDS.toNanos(micros);
    boolean interrupted = false;
    for (long left = deadline - System.nanoTime(); left > 0; left = deadline - System.nanoTime()) {
      interrupted |= Thread.interrupted();
      LockSupport.parkNanos(this, left);
    }
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public Thread startThread(String name, Runnable task) {
    Thread thread = new EngineThread(name, task);
    thread.start();
    return thread;
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    return new FileReadFile(file, open(file, "r"));
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    if (map && mapper != null) {
      MappedFile mapped = tryMap(file, mapper);
      if (mapped != null) {
        return mapped;
      }
    }
    return new FileReadFile(file, open(file, "r"));
  }

  /** Maps all of the file; returns null if it is too long or if the system has no more mappings. */
  private @Nullable MappedFile tryMap(Path file, Mapper mapper) throws IOException {
    refuseLock(file);
    RegularFile.require(file);
    try {
      return Uninterrupted.run(() -> mapAll(file, mapper));
    } catch (Uninterrupted.NoThreadException e) {
      LOG.info("cannot map {}; it is read without a mapping", file, e);
      return null;
    }
  }

  private @Nullable MappedFile mapAll(Path file, Mapper mapper) throws IOException {
    try (FileChannel channel = FileChannel.open(file, StandardOpenOption.READ)) {
      long size = channel.size();
      if (size == 0 || size > Integer.MAX_VALUE) {
        return null;
      }
      Mapping mapping = mapOrNull(channel, size, mapper);
      return mapping == null ? null : new MappedFile(file, size, mapping, unmapper);
    }
  }

  private static @Nullable Mapping mapOrNull(FileChannel channel, long size, Mapper mapper)
      throws IOException {
    try {
      return mapper.map(channel, MapMode.READ_ONLY, 0, size);
    } catch (java.nio.channels.ClosedChannelException e) {
      throw e;
    } catch (IOException e) {
      return null;
    }
  }

  /**
   * Truncates an opened file to 0 bytes, unless it is empty. If a file was ever truncated to 0,
   * ext4 writes it to disk when it is closed ({@code auto_da_alloc}). A log is closed when it is
   * obsolete, so that write is wasted.
   */
  private static void makeEmpty(java.io.RandomAccessFile opened) throws IOException {
    if (opened.length() > 0) {
      opened.setLength(0);
    }
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    return openWritable(file, true);
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    return openWritable(file, false);
  }

  private WritableFile openWritable(Path file, boolean empty) throws IOException {
    java.io.RandomAccessFile opened = open(file, "rw");
    try {
      if (empty) {
        makeEmpty(opened);
      } else {
        opened.seek(opened.length());
      }
      return new FileWritable(file, opened, descriptorSync);
    } catch (Throwable e) {
      opened.close();
      throw e;
    }
  }

  @Override
  public @Nullable MappedLogFile createMappedLog(Path file) throws IOException {
    if (mapper == null || !mapper.allowsStores(file)) {
      return null;
    }
    java.io.RandomAccessFile opened = open(file, "rw");
    FileMappedLog log = new FileMappedLog(file, opened, mapper, descriptorSync);
    try {
      makeEmpty(opened);
      log.reserve(FileMappedLog.BLOCK);
      return log;
    } catch (FileMappedLog.NotMappedException e) {
      log.close();
      LOG.info("cannot map the log {}; it is written without a mapping", file, e);
      return null;
    } catch (Throwable e) {
      log.close();
      throw e;
    }
  }

  private static java.io.RandomAccessFile open(Path file, String mode) throws IOException {
    refuseLock(file);
    RegularFile.require(file);
    if (!mode.equals("r") && Files.isSymbolicLink(file)) {
      throw new FileSystemException(
          file.toString(), null, "is a symbolic link: nothing is written through it");
    }
    try {
      return new java.io.RandomAccessFile(file.toFile(), mode);
    } catch (FileNotFoundException e) {
      throw translate(file, mode, e);
    }
  }

  /**
   * The exception to throw. The runtime throws FileNotFoundException for every failure of an open.
   */
  private static IOException translate(Path file, String mode, FileNotFoundException e) {
    Path parent = file.toAbsolutePath().getParent();
    boolean missing = mode.equals("r") && Files.notExists(file);
    if (missing || (parent != null && Files.notExists(parent))) {
      NoSuchFileException translated = new NoSuchFileException(file.toString());
      translated.initCause(e);
      return translated;
    }
    return new IOException("cannot open " + e.getMessage(), e);
  }

  /** Refuses a lock file that this process holds: opening and closing it would drop the lock. */
  private static void refuseLock(Path file) throws IOException {
    if (file.endsWith("LOCK") && DirectoryLock.isHeld(file)) {
      throw new AccessDeniedException(file.toString(), null, "is locked by this process");
    }
  }

  @Override
  public boolean exists(Path file) throws IOException {
    try {
      retries.run(() -> Files.readAttributes(file, BasicFileAttributes.class));
      return true;
    } catch (NoSuchFileException e) {
      return false;
    } catch (FileSystemException e) {
      if (isBelowFile(file)) {
        return false;
      }
      throw e;
    }
  }

  /** Returns true if the path goes through something that exists and is not a directory. */
  private static boolean isBelowFile(Path path) {
    for (Path parent = path.getParent(); parent != null; parent = parent.getParent()) {
      try {
        return !Files.readAttributes(parent, BasicFileAttributes.class).isDirectory();
      } catch (IOException e) {
        continue; // the parent is below a file, too, or not accessible
      }
    }
    return false;
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    if (Files.exists(directory) && !Files.isDirectory(directory)) {
      throw new NotDirectoryException(directory.toString()); // to open a named pipe would wait
    }
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> children = Files.newDirectoryStream(directory)) {
      for (Path child : children) {
        names.add(String.valueOf(child.getFileName()));
      }
    } catch (java.nio.file.DirectoryIteratorException e) {
      throw e.getCause();
    }
    if (names.isEmpty() && Files.notExists(directory)) {
      throw new NoSuchFileException(directory.toString()); // Windows lists it as empty
    }
    return names;
  }

  @Override
  public void delete(Path file) throws IOException {
    if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileSystemException(file.toString(), null, "is a directory");
    }
    retries.delete(file);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    Files.createDirectories(directory);
  }

  @Override
  public void deleteDirectory(Path directory) throws IOException {
    if (Files.exists(directory, LinkOption.NOFOLLOW_LINKS)
        && !Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) {
      throw new NotDirectoryException(directory.toString());
    }
    retries.run(() -> Files.delete(directory));
  }

  @Override
  public long size(Path file) throws IOException {
    return Files.size(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    if (Files.isDirectory(from, LinkOption.NOFOLLOW_LINKS)
        && Files.exists(to, LinkOption.NOFOLLOW_LINKS)) {
      throw new FileAlreadyExistsException(to.toString());
    }
    retries.run(
        () ->
            Files.move(
                from, to, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING));
  }

  @Override
  public boolean link(Path existing, Path link) throws IOException {
    if (!RegularFile.isRegular(existing, LinkOption.NOFOLLOW_LINKS)) {
      return false; // a link to a symbolic link would be one, and could lead to another file
    }
    try {
      Files.createLink(link, existing);
      return true;
    } catch (NoSuchFileException | FileAlreadyExistsException e) {
      throw e;
    } catch (FileSystemException | UnsupportedOperationException e) {
      LOG.debug("{} cannot be linked as {}: {}", existing, link, e.toString());
      return false;
    }
  }

  @Override
  public boolean isSymbolicLink(Path path) {
    return Files.isSymbolicLink(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    if (WINDOWS) { // it does not sync directories
      if (Files.notExists(directory)) {
        throw new NoSuchFileException(directory.toString());
      }
      return;
    }
    Uninterrupted.runAgain(
        () -> {
          try (FileChannel channel = FileChannel.open(directory, StandardOpenOption.READ)) {
            channel.force(true);
            return directory;
          }
        });
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    return DirectoryLock.acquire(file, unclosable);
  }

  /** Waits until every closed mapping is unmapped. */
  void awaitUnmapped() {
    unmapper.await();
  }

  /**
   * Retries what Windows refuses: a change while another program, such as a virus scanner, reads
   * the file, and any access to a file that is being deleted. Thread-safe.
   */
  static final class Retries {
    private final int tries;
    private final int maxRefused;
    private final Runnable pause;

    /**
     * Files whose last deletion was refused with all tries. Another program holds them for longer,
     * so each later deletion is one try. A file of a closed database may stay here.
     */
    private final Set<Path> refused = ConcurrentHashMap.newKeySet();

    /**
     * Creates the object.
     *
     * @param tries how often an access is tried
     * @param maxRefused if more files are refused, all are forgotten, and get all tries again
     * @param pause runs between two tries
     */
    Retries(int tries, int maxRefused, Runnable pause) {
      this.tries = tries;
      this.maxRefused = maxRefused;
      this.pause = pause;
    }

    /** Tries an access until it is not refused, or fails with the last refusal. */
    void run(Access access) throws IOException {
      run(tries, access);
    }

    /** Deletes a file: by one try if all tries were refused the last time. */
    void delete(Path file) throws IOException {
      int most = refused.remove(file) ? 1 : tries;
      try {
        run(most, () -> Files.delete(file));
      } catch (NoSuchFileException e) {
        throw e;
      } catch (FileSystemException e) {
        if (refused.size() >= maxRefused) {
          refused.clear();
        }
        refused.add(file);
        throw e;
      }
    }

    private void run(int most, Access access) throws IOException {
      for (int left = most; ; left--) {
        try {
          access.run();
          return;
        } catch (NoSuchFileException e) {
          throw e;
        } catch (FileSystemException e) {
          if (left == 1) {
            throw e;
          }
        }
        pause.run();
      }
    }
  }

  /** An access to a file or directory. */
  interface Access {
    void run() throws IOException;
  }
}

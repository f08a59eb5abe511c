package dev.kv.testing;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * An environment that counts every operation on another environment, and fails chosen operations.
 * It counts operations on files as well, but not clock, threads and the release of a lock.
 * Thread-safe.
 *
 * <p>A test of what a program does if the disk fails runs the program once to count the operations,
 * and then once for each of them:
 *
 * <pre>{@code
 * FaultEnv counting = new FaultEnv(Env.inMemory());
 * program.accept(counting);
 * for (long k = 1; k <= counting.operations(); k++) {
 *   FaultEnv faulty = new FaultEnv(Env.inMemory());
 *   faulty.failOnce(k, FaultEnv.Fault.ERROR);
 *   program.accept(faulty); // reports the failure, or is not affected by it
 *   faulty.heal();
 *   // everything acknowledged is there after a reopen
 * }
 * }</pre>
 *
 * <p>A database uses several threads, so operation {@code k} is not always the same in every run.
 */
public final class FaultEnv extends ForwardingEnv {
  private static final Plan NONE = new Plan(Fault.ERROR, 0, operation -> false);
  private static final Consumer<Operation> NOBODY = operation -> {};

  private final AtomicLong count = new AtomicLong();
  private final AtomicInteger injected = new AtomicInteger();
  private volatile Plan plan = NONE;
  private volatile Consumer<Operation> watcher = NOBODY;
  private volatile String last = "";

  /**
   * Creates an environment that does not fail any operation yet.
   *
   * @param target the environment that does the operations
   */
  public FaultEnv(Env target) {
    super(target);
  }

  /** The way in which an operation fails. All throw an IOException. */
  public enum Fault {
    /** The operation has no effect. */
    ERROR,
    /**
     * A write writes half of its bytes, except a store of at most four, which a processor does at
     * once. A sequential read reads one byte and succeeds. Other operations have no effect.
     */
    SHORT,
    /**
     * A write writes up to the last multiple of 512 of the size of the file. Other operations have
     * no effect.
     */
    TORN,
    /** The disk is full: operations that write or create have no effect. Others succeed. */
    NO_SPACE,
    /** A sync has no effect. Other operations succeed. */
    SYNC
  }

  /** The kinds of operations on files and directories. */
  public enum Kind {
    /** A file is opened for reading. */
    OPEN,
    /** A file is created or opened for writing, or a directory created. */
    CREATE,
    /** A file is read, or a part of it is skipped. */
    READ,
    /** A file is appended to or flushed. */
    WRITE,
    /** Bytes are stored into a mapped log. This cannot fail because of a full disk. */
    STORE,
    /** A mapped log is extended. */
    RESERVE,
    /** A file is synced. */
    SYNC,
    /** A mapped log is truncated to its length. */
    CUT,
    /** A file is closed. If this fails, the file is closed all the same. */
    CLOSE,
    /** A directory is listed, or the existence or size of a file is read. */
    LIST,
    /** A file or an empty directory is deleted. */
    DELETE,
    /** A file or directory is renamed. */
    RENAME,
    /** A file gets a second name. */
    LINK,
    /** A directory is synced. */
    SYNC_DIRECTORY,
    /** A lock is requested. */
    LOCK
  }

  /**
   * One operation.
   *
   * @param kind the kind of the operation
   * @param path the file or directory; for a rename or a link, the new path
   */
  public record Operation(Kind kind, Path path) {
    /**
     * Returns true if the path ends with {@code suffix}.
     *
     * @param suffix the end of the path, such as {@code .log}
     * @return true if the path ends with it
     */
    public boolean isOn(String suffix) {
      return path.toString().endsWith(suffix);
    }
  }

  private record Plan(Fault fault, long times, Predicate<Operation> which) {}

  /**
   * Fails the operation with number {@code k}. The numbers begin at 1; see {@link #operations}.
   *
   * @param k the number of the operation
   * @param fault the way in which it fails
   */
  public void failOnce(long k, Fault fault) {
    fail(fault, 1, operation -> count.get() >= k);
  }

  /**
   * Fails the operation with number {@code k} and all later ones.
   *
   * @param k the number of the first operation to fail
   * @param fault the way in which they fail
   */
  public void failFrom(long k, Fault fault) {
    fail(fault, Long.MAX_VALUE, operation -> count.get() >= k);
  }

  /**
   * Fails the first {@code times} operations from now on that {@code which} accepts.
   *
   * @param fault the way in which they fail
   * @param times the number of operations to fail
   * @param which returns true for the operations to fail; called on the thread of each operation
   */
  public void fail(Fault fault, long times, Predicate<Operation> which) {
    injected.set(0);
    plan = new Plan(fault, times, which);
  }

  /** Stops failing operations. */
  public void heal() {
    plan = NONE;
  }

  /**
   * Calls {@code each} for every operation from now on, before the operation and on its thread. An
   * exception of {@code each} is thrown by the operation. Replaces the previous watcher.
   *
   * @param each the watcher
   */
  public void watch(Consumer<Operation> each) {
    watcher = each;
  }

  /**
   * Returns the number of operations so far.
   *
   * @return the number of operations
   */
  public long operations() {
    return count.get();
  }

  /**
   * Returns the number of operations that failed since the last call of a {@code fail} method.
   *
   * @return the number of failed operations
   */
  public int injected() {
    return injected.get();
  }

  /**
   * Returns a description of the last operation that failed, for messages.
   *
   * @return the description; empty if no operation failed
   */
  public String lastFault() {
    return last;
  }

  /** Counts an operation. Returns the way in which it must fail, or null if it must not fail. */
  @Nullable Fault next(Kind kind, Path path) {
    count.incrementAndGet();
    Plan now = plan;
    Operation operation = new Operation(kind, path);
    watcher.accept(operation);
    boolean applies =
        switch (now.fault) {
          case ERROR, SHORT, TORN -> true;
          case NO_SPACE ->
              kind == Kind.CREATE
                  || kind == Kind.WRITE
                  || kind == Kind.RESERVE
                  || kind == Kind.LINK;
          case SYNC -> kind == Kind.SYNC || kind == Kind.SYNC_DIRECTORY;
        };
    if (!applies || !now.which.test(operation)) {
      return null;
    }
    if (injected.getAndIncrement() >= now.times) {
      injected.decrementAndGet();
      return null;
    }
    last = now.fault + " of " + kind + " " + path;
    return now.fault;
  }

  /** Returns the exception to throw for {@code fault}. */
  static IOException exception(Fault fault, Kind kind, Path path) {
    String why = fault == Fault.NO_SPACE ? "No space left on device" : "injected fault";
    return new IOException(why + ": " + kind + " " + path);
  }

  /** Counts an operation, and throws if it must fail. */
  void check(Kind kind, Path path) throws IOException {
    Fault fault = next(kind, path);
    if (fault != null) {
      throw exception(fault, kind, path);
    }
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    check(Kind.OPEN, file);
    return new FaultFiles.Sequential(this, file, super.openSequential(file));
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    check(Kind.OPEN, file);
    return new FaultFiles.Random(this, file, super.openRandomAccess(file, map));
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    check(Kind.CREATE, file);
    return new FaultFiles.Writable(this, file, super.createWritable(file));
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    check(Kind.CREATE, file);
    return new FaultFiles.Writable(this, file, super.openAppendable(file));
  }

  @Override
  public @Nullable MappedLogFile createMappedLog(Path file) throws IOException {
    check(Kind.CREATE, file);
    MappedLogFile log = super.createMappedLog(file);
    return log == null ? null : new FaultFiles.MappedLog(this, file, log);
  }

  @Override
  public boolean exists(Path file) throws IOException {
    check(Kind.LIST, file);
    return super.exists(file);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    check(Kind.LIST, directory);
    return super.list(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    check(Kind.DELETE, file);
    super.delete(file);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    check(Kind.CREATE, directory);
    super.createDirectory(directory);
  }

  @Override
  public void deleteDirectory(Path directory) throws IOException {
    check(Kind.DELETE, directory);
    super.deleteDirectory(directory);
  }

  @Override
  public long size(Path file) throws IOException {
    check(Kind.LIST, file);
    return super.size(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    check(Kind.RENAME, to);
    super.rename(from, to);
  }

  @Override
  public boolean link(Path existing, Path link) throws IOException {
    check(Kind.LINK, link);
    return super.link(existing, link);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    check(Kind.SYNC_DIRECTORY, directory);
    super.syncDirectory(directory);
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    check(Kind.LOCK, file);
    return super.lock(file);
  }
}

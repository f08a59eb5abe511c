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
 * An environment that counts every operation on another one, and fails those that it is told to.
 * The operations of files count like its own; clock, threads and the release of a lock do not.
 * Thread-safe.
 *
 * <p>A test of what a program does when the disk fails runs once to learn how many operations there
 * are, and once more for each of them:
 *
 * <pre>{@code
 * FaultEnv counting = new FaultEnv(Env.inMemory());
 * program.accept(counting);
 * for (long k = 1; k <= counting.operations(); k++) {
 *   FaultEnv faulty = new FaultEnv(Env.inMemory());
 *   faulty.failOnce(k, FaultEnv.Fault.ERROR);
 *   program.accept(faulty); // told of the failure, or not harmed by it
 *   faulty.heal();
 *   // what was acknowledged is there after a reopen
 * }
 * }</pre>
 *
 * A database works on several threads, so that operation {@code k} need not be the same in every
 * run.
 */
public final class FaultEnv extends ForwardingEnv {
  private static final Plan NONE = new Plan(Fault.ERROR, 0, operation -> false);
  private static final Consumer<Operation> NOBODY = operation -> {};

  private final AtomicLong count = new AtomicLong();
  private final AtomicInteger injected = new AtomicInteger();
  private volatile Plan plan = NONE;
  private volatile Consumer<Operation> watcher = NOBODY;
  private volatile String last = "";

  /** Creates an environment that fails nothing yet. */
  public FaultEnv(Env target) {
    super(target);
  }

  /** How an operation fails. Each throws an IOException. */
  public enum Fault {
    /** It does nothing. */
    ERROR,
    /**
     * A write writes half of its bytes; anything else does nothing. A sequential read reads one
     * byte.
     */
    SHORT,
    /**
     * A write writes up to the last multiple of 512 of the file's size; anything else does nothing.
     */
    TORN,
    /** The disk is full: what writes or creates does nothing; other operations go through. */
    NO_SPACE,
    /** A sync does nothing; other operations go through. */
    SYNC
  }

  /** What is done to a file or directory. */
  public enum Kind {
    /** A file is opened for reading. */
    OPEN,
    /** A file is created or opened for writing, or a directory created. */
    CREATE,
    /** A file is read or skipped in. */
    READ,
    /** A file is appended to or flushed. */
    WRITE,
    /** A store into a mapped log: under it the disk cannot be full. */
    STORE,
    /** A mapped log is extended. */
    RESERVE,
    /** A file is synced. */
    SYNC,
    /** A mapped log is cut to its length. */
    CUT,
    /** A file is closed; where that fails, it is closed all the same. */
    CLOSE,
    /** A directory is listed, or a name or size asked for. */
    LIST,
    /** A file or an empty directory is deleted. */
    DELETE,
    /** A file is renamed. */
    RENAME,
    /** A directory is synced. */
    SYNC_DIRECTORY,
    /** A lock is asked for. */
    LOCK
  }

  /** One operation. A rename's path is the new one. */
  public record Operation(Kind kind, Path path) {
    /** Returns whether the file's name ends so. */
    public boolean isOn(String suffix) {
      return path.toString().endsWith(suffix);
    }
  }

  private record Plan(Fault fault, long times, Predicate<Operation> which) {}

  /** Fails operation number {@code k}, which {@link #operations} counts from 1. */
  public void failOnce(long k, Fault fault) {
    fail(fault, 1, operation -> count.get() >= k);
  }

  /** Fails operation number {@code k} and all later ones. */
  public void failFrom(long k, Fault fault) {
    fail(fault, Long.MAX_VALUE, operation -> count.get() >= k);
  }

  /** Fails the first {@code times} operations from now on that {@code which} accepts. */
  public void fail(Fault fault, long times, Predicate<Operation> which) {
    injected.set(0);
    plan = new Plan(fault, times, which);
  }

  /** Fails nothing any more. */
  public void heal() {
    plan = NONE;
  }

  /**
   * Has {@code each} told of every operation from now on, before it is done and on the thread that
   * does it. What it throws comes out of the operation. It takes the place of the watcher before.
   */
  public void watch(Consumer<Operation> each) {
    watcher = each;
  }

  /** Returns how many operations there were. */
  public long operations() {
    return count.get();
  }

  /** Returns how many operations failed by the last plan. */
  public int injected() {
    return injected.get();
  }

  /** Returns what failed last, for messages. */
  public String lastFault() {
    return last;
  }

  /** Counts an operation; returns how it is to fail, or null. */
  @Nullable Fault next(Kind kind, Path path) {
    count.incrementAndGet();
    Plan now = plan;
    Operation operation = new Operation(kind, path);
    watcher.accept(operation);
    boolean applies =
        switch (now.fault) {
          case ERROR, SHORT, TORN -> true;
          case NO_SPACE -> kind == Kind.CREATE || kind == Kind.WRITE || kind == Kind.RESERVE;
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

  /** Counts an operation, and throws if it is to fail. */
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

package dev.kv.core.state;

import static java.util.Objects.requireNonNull;

import dev.kv.change.ChangePosition;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.write.CommitProgress;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.errors.ChangesLostException;
import dev.kv.options.LogRetention;
import java.io.IOException;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The logs that are kept for readers of changes after the database does not need them any more. A
 * database has this object only with {@link dev.kv.Options#logRetention}. Thread-safe.
 *
 * <p>Kept logs stay in the directory under their own names. A recovery, a repair with a readable
 * MANIFEST, and an open by C++ LevelDB ignore logs with lower numbers than the MANIFEST names; the
 * open by C++ LevelDB also deletes them. C++ LevelDB's RepairDB converts them like any other log,
 * so that old values hide newer ones. Invariants: 1. all logs from {@link #oldest} on are on disk;
 * 2. this number is durable before an older log is deleted, so a log that is missing at the open
 * was deleted by another program; 3. a log is durable before it is only kept, because the tables
 * that replace it are.
 */
public final class RetainedLogs {
  private static final EngineLogger LOG = EngineLogger.of(RetainedLogs.class);

  private final Env env;
  private final Path directory;
  private final LogRetention retention;

  /** The logs of this open that are only kept. */
  private final Map<Long, Ended> ended = new ConcurrentHashMap<>();

  /** Written at the open, and under the lock of {@link ObsoleteFiles}. */
  private volatile @Nullable Incarnations incarnations;

  private volatile CommitProgress progress = new CommitProgress(0);

  /** The size of a log, and the time at which the table of its memtable was complete. */
  private record Ended(long bytes, long millis) {}

  private RetainedLogs(DatabaseContext context, LogRetention retention) {
    this.env = context.env();
    this.directory = context.directory();
    this.retention = retention;
  }

  /** Returns the object for an open database, or null if its options keep no logs. */
  public static @Nullable RetainedLogs of(DatabaseContext context) {
    LogRetention retention = context.options().logRetention();
    return retention == null ? null : new RetainedLogs(context, retention);
  }

  /**
   * Ends the history of a database that is opened without keeping logs: its later changes need not
   * pass the log. Durable when it returns.
   */
  public static void forget(Env env, Path directory) throws IOException {
    env.delete(FileNames.changes(directory));
    env.syncDirectory(directory);
  }

  /**
   * Ends the history of a database that a repair is about to replace: the oldest log becomes one
   * that never exists. The incarnations stay, for a second repair. Durable when it returns.
   */
  public static void end(Env env, Path directory) throws IOException {
    Incarnations found = Incarnations.read(env, directory);
    if (found != null) {
      found.withOldestLog(Incarnations.NO_LOG).write(env, directory);
    }
  }

  /**
   * Returns the sequence number of the last write in a log that was not lost by a recovery, by the
   * number of the log; null if CHANGES is missing or damaged. For a database that is not open.
   */
  public static @Nullable LongUnaryOperator lastIn(Env env, Path directory) throws IOException {
    Incarnations found = Incarnations.read(env, directory);
    return found == null ? null : found::lastIn;
  }

  /**
   * Returns the number of the first log of the incarnation that wrote a log; 0 if CHANGES does not
   * tell, or if its logs are not there. For a database that is not open.
   */
  public static long firstLogOf(Env env, Path directory, long log) throws IOException {
    Incarnations found = Incarnations.read(env, directory);
    int index = found == null ? -1 : found.indexOfLog(log);
    if (found == null || index < 0) {
      return 0;
    }
    long oldest = found.oldestLog();
    long first = found.list().get(index).firstLog();
    boolean areThere =
        env.exists(FileNames.log(directory, oldest))
            && (first < oldest || env.exists(FileNames.log(directory, first)));
    return areThere ? first : 0;
  }

  /** Makes the logs durable that a recovery has replayed, because they will only be kept. */
  public void syncReplayed(List<Long> logs) throws IOException {
    for (long log : logs) {
      try (WritableFile file = env.openAppendable(FileNames.log(directory, log))) {
        file.sync();
      }
    }
  }

  /**
   * Begins an incarnation, before its first log receives a record. Durable when it returns.
   *
   * @param files the files that the open has found
   * @param sequence the sequence number of the last write that was recovered
   * @param log the number of the first log
   * @param isPrefix false if the writes that were recovered are not a prefix of those before
   */
  public void begin(List<FileName> files, long sequence, long log, boolean isPrefix)
      throws IOException {
    Incarnations.Incarnation next =
        new Incarnations.Incarnation(
            new SecureRandom().nextLong(), sequence, log, System.currentTimeMillis());
    Incarnations before = Incarnations.read(env, directory);
    long oldest = before == null ? Incarnations.NO_LOG : before.oldestLog();
    boolean continues =
        isPrefix
            && files.stream()
                .anyMatch(file -> file.kind() == FileName.Kind.LOG && file.number() == oldest);
    Incarnations now =
        before != null && continues ? before.with(next) : new Incarnations(log, List.of(next));
    now.write(env, directory);
    incarnations = now;
    progress = new CommitProgress(sequence);
    if (before != null && !continues) {
      LOG.warn(
          "{}: the history of changes starts over at sequence {}: {}",
          directory,
          sequence,
          isPrefix
              ? "another program has deleted logs, or the database was repaired"
              : "writes were lost before the last one");
    }
  }

  /** Returns how far the writes of this open have come. */
  public CommitProgress progress() {
    return progress;
  }

  private Incarnations incarnations() {
    return requireNonNull(incarnations, "the incarnation has not begun");
  }

  /** Returns the number of the oldest log that is kept. */
  public long oldest() {
    Incarnations now = incarnations;
    return now == null ? 0 : now.oldestLog();
  }

  /** Returns the numbers of the kept and the live logs, ascending. */
  public List<Long> numbers() throws IOException {
    long oldest = oldest();
    return FileNames.list(env, directory).stream()
        .filter(file -> file.kind() == FileName.Kind.LOG && file.number() >= oldest)
        .map(FileName::number)
        .toList();
  }

  /** Returns the position after a write, in the present incarnation. */
  public ChangePosition position(long sequence) {
    return new ChangePosition(incarnations().last().id(), sequence);
  }

  /** Returns the sequence number of the last write in a log that was not lost by a recovery. */
  public long lastIn(long log) {
    return incarnations().lastIn(log);
  }

  /**
   * Checks that a position is one in the history of the present state.
   *
   * @throws ChangesLostException if it is not
   * @throws IllegalArgumentException if no write of the present incarnation has its number
   */
  public void check(ChangePosition position) {
    Incarnations now = incarnations();
    int index = now.indexOf(position.incarnation());
    if (index < 0) {
      throw lost(
          position,
          "it belongs to another history: the database was repaired or restored, was opened by"
              + " another program or without Options.logRetention, or this is another database");
    }
    if (position.sequence() > now.end(index)) {
      throw lost(position, "the writes after sequence " + now.end(index) + " were lost in a crash");
    }
    long last = progress.last(false);
    if (position.sequence() > last) {
      throw new IllegalArgumentException(
          "the position " + position + " lies after the last write, which is " + last);
    }
  }

  /** Returns the exception for a reader that cannot go on. */
  public ChangesLostException lost(ChangePosition position, String reason) {
    return new ChangesLostException(
        "the changes of the database in "
            + directory
            + " after the position "
            + position
            + " are not complete: "
            + reason
            + ". Begin again with a copy of the database and the position of the copy",
        position);
  }

  /** Notes that a log has ended, and will only be kept once its flush is installed. */
  void ended(long log, long bytes) {
    ended.put(log, new Ended(bytes, System.currentTimeMillis()));
  }

  /**
   * Moves {@link #oldest} on, if the kept logs exceed a bound. If that cannot be made durable, more
   * logs are kept. Called by one thread at a time.
   *
   * @param live the number of the oldest log that a recovery needs
   */
  void trim(long live) {
    Incarnations now = incarnations;
    if (now == null) {
      return;
    }
    try {
      List<Kept> kept = new ArrayList<>();
      for (long number : numbers()) {
        if (number < live) {
          kept.add(kept(number, now));
        }
      }
      int drop = countToDrop(kept, retention, System.currentTimeMillis());
      if (drop > 0) {
        Incarnations next = now.withOldestLog(drop == kept.size() ? live : kept.get(drop).number());
        next.write(env, directory);
        incarnations = next;
        ended.keySet().removeIf(number -> number < next.oldestLog());
      }
    } catch (IOException e) {
      LOG.warn("{}: logs are kept longer than asked for: {}", directory, e.toString());
    }
  }

  /**
   * A log that is only kept.
   *
   * @param number its number
   * @param bytes its size
   * @param millis the time before which its last record was written
   */
  record Kept(long number, long bytes, long millis) {}

  private Kept kept(long number, Incarnations now) throws IOException {
    Ended end = ended.get(number);
    if (end != null) {
      return new Kept(number, end.bytes(), end.millis());
    }
    int next = now.indexOfLog(number) + 1;
    if (next < now.list().size()) {
      long begun = now.list().get(next).begunMillis();
      return new Kept(number, env.size(FileNames.log(directory, number)), begun);
    }
    return new Kept(number, 0, 0); // was prepared and not used, and could not be deleted
  }

  /**
   * Returns how many of the oldest logs exceed the bounds. A log whose time is after the present
   * one, because a clock was wrong, is as old as the log after it.
   */
  static int countToDrop(List<Kept> oldestFirst, LogRetention retention, long nowMillis) {
    long[] millis = oldestFirst.stream().mapToLong(Kept::millis).toArray();
    long after = nowMillis;
    for (int i = millis.length - 1; i >= 0; i--) {
      millis[i] = millis[i] > nowMillis ? after : millis[i];
      after = millis[i] > 0 ? millis[i] : after; // not that of a log without records
    }
    long bytes = oldestFirst.stream().mapToLong(Kept::bytes).sum();
    int drop = 0;
    for (Kept each : oldestFirst) {
      Duration age = Duration.ofMillis(nowMillis - millis[drop]);
      boolean isOld = age.compareTo(retention.age()) > 0;
      if (bytes <= retention.bytes() && !isOld) {
        break;
      }
      bytes -= each.bytes();
      drop++;
    }
    return drop;
  }
}

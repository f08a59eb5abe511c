package dev.kv.core.write;

import static dev.kv.core.Bytes.bytes;

import dev.kv.bytes.DBComparator;
import dev.kv.core.BytesFile;
import dev.kv.core.Sneaky;
import dev.kv.core.event.Events;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.LookupResult;
import dev.kv.core.log.LogBytes;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.LogWriter;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.ValueRef;
import dev.kv.core.memtable.MemTable;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A database without files: memtables that are kept, and logs in memory. */
final class FakeTarget implements CommitTarget {
  final OffHeapBudget budget;
  final InternalKeyComparator comparator;
  final ArenaPool arenas;
  final int arenaBytes;
  final List<MemTable> memtables = new ArrayList<>();
  final List<FakeFile> files = new ArrayList<>();
  final List<LogWriter> logs = new ArrayList<>();
  final StallInputs stallInputs = new StallInputs(1);
  volatile Exception switchFailure;
  volatile IOException olderLogsFailure;
  volatile boolean hasLog = true;
  volatile Exception beginFailure;
  volatile Runnable beforeBegin = () -> {};
  volatile Runnable duringMemoryWait = () -> {};
  volatile Runnable whenWoken = () -> {};
  int beginnings;
  int olderLogSyncs;
  int earlyFlushes;

  /** The last number that was told as committed, and as synced too; and how often it was told. */
  long committed;

  long committedSynced;
  int commits;

  private LogWriter olderSyncedFor;
  private volatile IOException nextLogFailure;

  FakeTarget(int arenaBytes) {
    this(arenaBytes, new OffHeapBudget(0), DBComparator.bytewise());
  }

  FakeTarget(int arenaBytes, OffHeapBudget budget, DBComparator order) {
    this.arenaBytes = arenaBytes;
    this.budget = budget;
    comparator = new InternalKeyComparator(order);
    arenas = new ArenaPool(budget);
    begin(arenaBytes);
  }

  /** Returns a pipeline that writes here, after a write with the number {@code lastSequence}. */
  CommitPipeline pipeline(ErrorHandler errors, long lastSequence) {
    return new CommitPipeline(
        this,
        stallInputs,
        errors,
        lastSequence,
        comparator.userComparator(),
        budget,
        new Events("db", null));
  }

  private void begin(int bytes) {
    memtables.add(newMemTable(bytes));
    FakeFile file = new FakeFile();
    file.laterAppendFailure = nextLogFailure;
    nextLogFailure = null;
    files.add(file);
    logs.add(LogWriter.appending(Path.of(files.size() + ".log"), file, 0));
  }

  private MemTable newMemTable(int bytes) {
    return new MemTable(comparator, arenas.acquire(bytes), arenas);
  }

  /** What the next call of {@link #makeRoom} throws. */
  volatile @Nullable Throwable roomFailure;

  /** Makes the log of the next switch fail from its second append on. */
  void failNextLogFromItsSecondAppend(IOException failure) {
    nextLogFailure = failure;
  }

  FakeFile file() {
    return files.get(files.size() - 1);
  }

  @Override
  public MemTable memtable() {
    return memtables.get(memtables.size() - 1);
  }

  @Override
  public void makeRoom(long bytes, int count, boolean fresh) throws IOException {
    Throwable failing = roomFailure;
    if (failing != null) {
      roomFailure = null;
      throw Sneaky.unchecked(failing);
    }
    if (!hasLog) {
      beginLog();
    }
    if (memtable().isEmpty()) {
      if (!memtable().ensureRoomFor(bytes, count)) {
        checkSwitch();
        int last = memtables.size() - 1;
        memtables.set(last, newMemTable(arenaBytes(bytes, count))).release();
      }
    } else if (fresh || !memtable().ensureRoomFor(bytes, count)) {
      checkSwitch();
      begin(arenaBytes(bytes, count));
    }
  }

  @Override
  public void awaitMemory(long bytes, Runnable allocation) {
    duringMemoryWait.run();
    allocation.run();
  }

  private void beginLog() throws IOException {
    beginnings++;
    beforeBegin.run();
    if (beginFailure instanceof IOException e) {
      throw e;
    } else if (beginFailure instanceof RuntimeException e) {
      throw e;
    }
    hasLog = true;
  }

  private void checkSwitch() throws IOException {
    if (switchFailure instanceof IOException e) {
      throw e;
    } else if (switchFailure instanceof RuntimeException e) {
      throw e;
    }
  }

  private int arenaBytes(long bytes, int count) {
    return (int) Math.max(arenaBytes, MemTable.arenaBytesFor(bytes, count));
  }

  @Override
  public void append(ByteBuffer record, int length, boolean sync) throws IOException {
    LogWriter log = logs.get(logs.size() - 1);
    if (length > 0) {
      log.append(record, 0, length);
    }
    if (sync) {
      if (log != olderSyncedFor) {
        syncOlderLogs();
        olderSyncedFor = log;
      }
      log.sync();
    }
  }

  @Override
  public void flushEarly() {
    earlyFlushes++;
  }

  @Override
  public void wakeWork() {
    whenWoken.run();
  }

  @Override
  public void committed(long lastSequence, boolean synced) {
    commits++;
    committed = lastSequence;
    if (synced) {
      committedSynced = lastSequence;
    }
  }

  private void syncOlderLogs() throws IOException {
    if (olderLogsFailure != null) {
      throw olderLogsFailure;
    }
    olderLogSyncs++;
  }

  /** Returns the value that readers of {@code sequence} find, or null. */
  String get(String key, long sequence) {
    LookupKey lookup = new LookupKey(budget);
    lookup.set(bytes(key), sequence);
    ValueRef value = new ValueRef();
    for (int i = memtables.size() - 1; i >= 0; i--) {
      int result = memtables.get(i).get(lookup, value);
      if (result == LookupResult.FOUND) {
        return new String(value.copy(), StandardCharsets.ISO_8859_1);
      } else if (result == LookupResult.DELETED) {
        return null;
      }
    }
    return null;
  }

  /** Returns for each record of all logs its first sequence number and its count. */
  List<Group> groups() throws IOException {
    List<Group> groups = new ArrayList<>();
    for (FakeFile file : files) {
      RecordBuffer record = new RecordBuffer();
      byte[] log = file.contents();
      Env env = BytesFile.env(() -> new BytesFile(log, Integer.MAX_VALUE));
      try (LogReader reader = new LogReader(env, Path.of("log"), new FailingReporter())) {
        while (reader.readRecord(record)) {
          ByteBuffer bytes = ByteBuffer.wrap(LogBytes.copy(record)).order(ByteOrder.LITTLE_ENDIAN);
          groups.add(new Group(bytes.getLong(0), bytes.getInt(8)));
        }
      }
    }
    return groups;
  }

  /** A record of the log. */
  record Group(long sequence, int count) {}

  private static final class FailingReporter implements LogReader.Reporter {
    @Override
    public void corruption(long offset, long bytes, String reason, boolean torn) {
      throw new AssertionError("the log is damaged at " + offset + ": " + reason);
    }
  }
}

package dev.kv.core.recovery;

import dev.kv.admin.DBStats;
import dev.kv.bytes.Escape;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKey;
import dev.kv.core.log.LogEnd;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.LogTail;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memtable.BatchInserter;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.state.DatabaseContext;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.CorruptionException;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Replays the logs of a database, oldest first, into memtables. Used once, by one thread.
 *
 * <p>The result is a prefix of the writes. Recovery ends, for this log and all later ones, at
 * damage if the recovery mode says so. It also ends at a gap in the sequence numbers between two
 * logs, between the tables and a log, or across a region of a log that was never written: the
 * records in between were lost with the power. A missing number is accepted inside a log, because
 * C++ LevelDB skips a number after a failed write, and at the beginning of the oldest log, because
 * nothing before it can be lost.
 *
 * <p>Beside a writer, there may be a gap because the writer went on in a log, or in a block of it,
 * after that was read, and then in the next one. Recovery ends at such a gap in each mode.
 */
public final class LogRecovery {
  private static final EngineLogger LOG = EngineLogger.of(LogRecovery.class);

  /** Receives full memtables. */
  public interface Sink {
    /** Takes ownership of {@code memtable}, which is not empty. */
    void full(MemTable memtable) throws IOException;
  }

  private final DatabaseContext context;
  private final RecoveryMode mode;
  private final Sink sink;
  private final boolean besideWriter;
  private final RecordBuffer record = new RecordBuffer();
  private final BatchCursor cursor = new BatchCursor();

  /** Batches with later sequence numbers are ignored. */
  private long greatest = Long.MAX_VALUE;

  /** The numbers of the logs that {@link RecoveryMode#STRICT} refuses, ascending. */
  private final Set<Long> damagedLogs = new TreeSet<>();

  private @Nullable MemTable memtable;
  private long lastSequence;

  /** The last sequence number with content: in the tables, or of an operation in a log. */
  private long lastApplied;

  /**
   * The expected sequence number of the next record, or, for the first record, the largest possible
   * one.
   */
  private long expected;

  private boolean anyRecord;
  private final AppliedNumbers applied = new AppliedNumbers();
  private final LostEditProof lostEdits;
  private final LateRecords lateRecords;

  /** The oldest log that the MANIFEST needs, if it is missing. */
  private @Nullable Path missing;

  /** True if the oldest log is missing, or a log begins after the expected sequence number. */
  private boolean hasGap;

  /** The damage at which recovery has ended, or null. */
  private @Nullable LogDamage end;

  /** The number of the log that is replayed. */
  private long current;

  private int logs;
  private long records;
  private long dropped;
  private long droppedOfManifest;
  private String reason = "";

  /** The length of the last log if it was replayed up to there and ends with a record, or -1. */
  private long appendable = -1;

  /**
   * Creates a recovery of the records after {@code lastSequence}, the last sequence number in the
   * tables.
   */
  public LogRecovery(DatabaseContext context, long lastSequence, Sink sink) {
    this(context, lastSequence, sink, false);
  }

  /**
   * Creates the same.
   *
   * @param besideWriter true if another process may write to the logs meanwhile
   */
  public LogRecovery(DatabaseContext context, long lastSequence, Sink sink, boolean besideWriter) {
    this.context = context;
    this.mode =
        context.options().recoveryMode() == RecoveryMode.PARANOID
            ? RecoveryMode.STRICT
            : context.options().recoveryMode();
    this.lastSequence = lastSequence;
    this.lastApplied = lastSequence;
    this.expected = lastSequence + 1;
    this.sink = sink;
    this.besideWriter = besideWriter;
    this.lostEdits = new LostEditProof(context.env(), context.directory());
    this.lateRecords = new LateRecords(context.env());
  }

  /** Ignores the batches after a sequence number: an earlier recovery did not bring them back. */
  public void ignoreAfter(long sequence) {
    greatest = sequence;
  }

  /**
   * Replays the logs with these numbers, which are ascending. Throws NoSuchFileException if a log
   * was deleted meanwhile.
   *
   * @param oldest the number of the oldest log that the MANIFEST needs; 0 for none
   */
  public void replay(List<Long> numbers, long oldest) throws IOException {
    hasGap = oldest > 0 && !numbers.contains(oldest);
    if (hasGap && mode != RecoveryMode.CPP_COMPAT) {
      missing = FileNames.log(context.directory(), oldest);
      if (mode != RecoveryMode.POINT_IN_TIME) {
        requireOldest();
      }
      reason = missing.getFileName() + ", which the MANIFEST needs, is missing";
      LOG.warn("{}: {}: its records are lost", context.directory(), reason);
    }
    try {
      for (long number : numbers) {
        replay(number);
      }
    } finally {
      record.free();
    }
  }

  private void replay(long number) throws IOException {
    Path path = FileNames.log(context.directory(), number);
    String file = path.toString();
    long length = context.env().size(path);
    current = number;
    appendable = -1;
    LogDamage before = end;
    if (before != null) {
      passOver(number, path, before);
      LOG.warn("{}: not replayed: recovery ended in an earlier log: {}", file, reason);
      return;
    }
    LogDamage damage = new LogDamage(context.events(), mode, file);
    long recordsBefore = records;
    try (LogReader reader = new LogReader(context.env(), path, damage)) {
      long replayed = 0;
      while (reader.readRecord(record)) {
        damage.record();
        if (damage.hasEnded() || !replayRecord(path, reader, damage, replayed)) {
          damage.recordAfterEnd(reader.lastRecordOffset(), record.length());
        }
        replayed = reader.endOfLastRecord();
        lostEdits.hasRecord(number);
      }
      boolean torn = damage.hasEnded() || reader.end() == LogEnd.TORN;
      if (torn && (mode == RecoveryMode.STRICT || !(besideWriter || damage.isDamaged()))) {
        reportRecordAfter(path, reader.endOfLastRecord(), damage);
      }
      finish(number, reader, damage, length);
      lateRecords.readTo(path, reader.endOfLastRecord());
    }
    logs++;
    LOG.info("{}: replayed {} records", file, records - recordsBefore);
  }

  /**
   * Reports a whole record that begins after the last one that was read. The rest of a block after
   * bytes that are not a record was skipped.
   */
  private void reportRecordAfter(Path path, long endOfLastRecord, LogDamage damage)
      throws IOException {
    long next = LogTail.nextBatch(context.env(), path, endOfLastRecord, anyRecord ? expected : 0);
    if (next >= 0) {
      damage.recordAfterEnd(next, 0);
    }
  }

  /** Counts the bytes of the records in a log after the damage at which recovery has ended. */
  private void passOver(long number, Path path, LogDamage before) throws IOException {
    try (LogReader reader = new LogReader(context.env(), path, LogReader.Reporter.IGNORED)) {
      while (reader.readRecord(record)) {
        dropped += record.length();
        lostEdits.hasRecord(number);
      }
      if (reader.endOfLastRecord() + reader.bytesAfterLastRecord() > 0) {
        before.laterLog(path);
        damagedLogs.add(lostEdits.firstDamaged());
        damagedLogs.add(number);
      }
    }
  }

  private void finish(long number, LogReader reader, LogDamage damage, long length) {
    if (!damage.hasEnded() && reader.end() == LogEnd.TORN) {
      damage.tornEnd(reader.endOfLastRecord(), reader.bytesAfterLastRecord());
    }
    if (damage.hasEnded()) {
      end = damage;
    } else if (reader.end() == LogEnd.RECORD && reader.endOfLastRecord() == length) {
      appendable = length;
    }
    if (damage.hasEnded() || damage.dropped() > 0) {
      lostEdits.damaged(number);
    }
    dropped += damage.dropped();
    if (damage.isDamaged()) {
      damagedLogs.add(number);
    }
    if (reason.isEmpty()) {
      reason = damage.reason();
    }
  }

  /**
   * Applies the record that was read; returns false if recovery ends before it.
   *
   * @param replayed the end of the record before it in its log, or 0 if it is the first
   */
  private boolean replayRecord(Path log, LogReader reader, LogDamage damage, long replayed)
      throws IOException {
    ByteBuffer bytes = record.buffer();
    int length = record.length();
    long offset = reader.lastRecordOffset();
    int count = cursor.countOperations(bytes, length);
    if (count < 0) {
      damage.corruption(offset, length, "a record that is no batch", false);
      return !damage.hasEnded();
    }
    long sequence = bytes.getLong(0);
    if (sequence < 0 || sequence > InternalKey.MAX_SEQUENCE + 1 - count) {
      damage.corruption(offset, length, "a sequence number beyond 2^56", false);
      return !damage.hasEnded();
    }
    if (sequence > greatest) {
      return true;
    }
    requireOldest();
    if (isConfirmation(count, sequence)) {
      lostEdits.confirms(log, sequence);
      records++;
      return true;
    }
    if (repeats(sequence, sequence + count - 1)) {
      damage.corruption(
          offset, length, "sequence number " + sequence + " follows " + (expected - 1), false);
      return !damage.hasEnded();
    }
    checkFollows(log, damage, sequence, replayed, offset);
    if (damage.hasEnded()) {
      return false;
    }
    applyRecord(reader, sequence, count);
    return true;
  }

  /**
   * Ends recovery if records between the record that was read and the one before it are lost.
   *
   * @param replayed the end of the record before it in its log, or 0 if it is the first
   * @param offset the offset of the record
   */
  private void checkFollows(Path log, LogDamage damage, long sequence, long replayed, long offset)
      throws IOException {
    damage.checkGap(sequence, anyRecord ? expected : Math.min(sequence, expected));
    boolean isLate = replayed == 0 && sequence > expected;
    hasGap |= isLate;
    if (isLate && logs > 0) {
      lostEdits.damaged(current);
    }
    if (isLate && logs > 0 && mode != RecoveryMode.CPP_COMPAT) {
      damage.corruption(
          offset,
          record.length(),
          "the log begins at sequence " + sequence + " instead of " + expected,
          true);
    } else if (besideWriter && sequence > expected && isBehind(log, replayed, offset)) {
      damage.end(
          offset, record.length(), "records before it were written after it was read up to there");
    }
  }

  /** Applies the record that was read. */
  private void applyRecord(LogReader reader, long sequence, int count) throws IOException {
    long end = sequence + count - 1;
    try {
      if (count > 0) {
        apply(record.buffer(), record.length(), sequence, count);
        applied.add(sequence, end);
        lastApplied = Math.max(lastApplied, end);
      }
    } catch (ComparatorException e) {
      throw new ComparatorException(
          e.getMessage()
              + " at the record at "
              + reader.lastRecordOffset()
              + " of "
              + Escape.text(reader.fileName())
              + ": nothing was changed",
          e);
    }
    if (count == 0 && sequence > lastSequence) {
      lostEdits.takenNumber();
    }
    records++;
    anyRecord = true;
    expected = end + 1;
    lastSequence = Math.max(lastSequence, end);
  }

  /**
   * Returns true if a batch has a number that an earlier record has, or that is before those. No
   * program writes such logs, but a block of a log that is stored twice looks so, since checksums
   * do not cover the position. {@link RecoveryMode#CPP_COMPAT} takes what is new in such a block.
   */
  private boolean repeats(long sequence, long end) {
    boolean isBefore = anyRecord && sequence < expected && sequence <= end;
    return applied.containAny(sequence, end) || (isBefore && mode != RecoveryMode.CPP_COMPAT);
  }

  /**
   * Returns true if records before this one were written after their place was read: at the end of
   * an earlier log, or in the block before. The modes other than {@link RecoveryMode#CPP_COMPAT}
   * end at the gap that this leaves inside of a log.
   */
  private boolean isBehind(Path log, long replayed, long offset) throws IOException {
    return (replayed == 0 && lateRecords.areInReadLogs())
        || (mode == RecoveryMode.CPP_COMPAT && lateRecords.areBetween(log, replayed, offset));
  }

  /**
   * Returns true if a batch confirms that the edit with this number was durable: it has no
   * operations, and the log had its number before. Every other record of a log has a later number
   * than those before it.
   */
  private boolean isConfirmation(int count, long sequence) {
    return count == 0 && anyRecord && sequence < expected;
  }

  /**
   * Throws if the oldest log is missing. A log and its name are durable before an edit that names
   * it is, and the log is deleted only after a durable edit names a later one. So if the oldest log
   * is missing, either the log itself is lost, or the MANIFEST has lost its end and possibly the
   * names of tables. The second is certain if a later log has records.
   */
  private void requireOldest() {
    Path lost = missing;
    if (lost != null) {
      throw new CorruptionException(
          "the MANIFEST needs "
              + lost.getFileName()
              + ", which is missing: either its records or the end of the MANIFEST is lost;"
              + " DB.repair rebuilds the database from the remaining files",
          lost.toString(),
          CorruptionException.NO_OFFSET,
          new NoSuchFileException(lost.toString()));
    }
  }

  private void apply(ByteBuffer bytes, int length, long sequence, int count) throws IOException {
    MemTable target = memtable;
    if (target != null && !target.ensureRoomFor(length, count)) {
      flushRest();
      target = null;
    }
    if (target == null) {
      target = context.newMemTable(length, count, true);
      memtable = target;
    }
    cursor.start(bytes, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    BatchInserter.insert(cursor, count, sequence, target, context.budget());
    if (target.memoryUsed() > context.options().writeBufferSize()) {
      record.free(); // the table needs the memory
      flushRest();
    }
  }

  /** Passes the last memtable, which is not full, to the sink. */
  public void flushRest() throws IOException {
    MemTable rest = takeMemTable();
    if (rest != null) {
      sink.full(rest);
    }
  }

  /** Returns the last memtable, which is not full, or null if there is none; the caller owns it. */
  public @Nullable MemTable takeMemTable() {
    MemTable rest = memtable;
    memtable = null;
    return rest;
  }

  /** Frees the last memtable if {@link #takeMemTable} has not returned it. */
  public void abandon() {
    MemTable rest = takeMemTable();
    if (rest != null) {
      rest.release();
    }
  }

  /** Returns true if all logs are empty: no record was found and no bytes were dropped. */
  public boolean foundNothing() {
    return records == 0 && dropped == 0 && end == null && reason.isEmpty();
  }

  /**
   * Returns the numbers of the logs of which bytes were dropped that an interrupted write at the
   * end of the last log does not explain, ascending. They may hold records that are nowhere else.
   * Beside a writer, some may be left out.
   */
  public Set<Long> damagedLogs() {
    return damagedLogs;
  }

  /**
   * Returns true if the writes that were found are all writes up to the last one of them. May be
   * false if only the number of a failed write is missing.
   */
  public boolean isPrefix() {
    return mode != RecoveryMode.CPP_COMPAT || (dropped == 0 && !hasGap);
  }

  /** Returns what the logs prove about the end of the MANIFEST. */
  public LostEditProof lostEdits() {
    return lostEdits;
  }

  /** Returns the last sequence number in tables and logs. */
  public long lastSequence() {
    return lastSequence;
  }

  /**
   * Returns the last sequence number in tables and logs that is not merely taken for a change of
   * the tables, which the MANIFEST may not have yet.
   */
  public long lastApplied() {
    return lastApplied;
  }

  /**
   * Returns the length of the last log if it was replayed completely and ends with a whole record,
   * so that it can be appended to; otherwise -1.
   */
  public long appendableLength() {
    return dropped == 0 ? appendable : -1;
  }

  /**
   * Adds what is wrong with the end of the MANIFEST, and the bytes dropped there, to the report.
   */
  public void noteManifest(String what, long bytes) {
    note(what);
    droppedOfManifest = bytes;
  }

  /** Adds to the reason in the report. */
  public void note(String what) {
    reason = reason.isEmpty() ? what : reason + "; " + what;
  }

  /** Returns the statistics of the recovery. */
  public DBStats.Recovery report() {
    return new DBStats.Recovery(logs, records, dropped + droppedOfManifest, reason);
  }
}

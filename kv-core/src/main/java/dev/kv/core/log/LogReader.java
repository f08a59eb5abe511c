package dev.kv.core.log;

import dev.kv.core.env.FileContents;
import dev.kv.core.memory.DirectMemory;
import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/**
 * Reads the records of a log (see {@link LogFormat}). Checks every length, and returns every whole
 * record. For one thread. It reports what it has to skip before it returns the next record, so that
 * the caller can decide whether that record counts.
 *
 * <p>Bytes are torn, and not damaged, if a 512-byte sector under them is all zero, or all zero from
 * the beginning of the fragment inside it: loss of power can leave a sector as it was before. The
 * rest of a record whose beginning is torn is torn too. An unfinished record at the end of the file
 * is skipped without a report; {@link #end} tells.
 *
 * <p>The length of a large record is looked up in the headers of its fragments, so that its buffer
 * is allocated once, and not larger than the record: a record takes no more memory than its batch.
 */
public final class LogReader implements AutoCloseable {
  /** The length of a record from which on it is worth to look up how long it is. */
  private static final int LARGE = 256 << 10;

  private final Env env;
  private final Path path;
  private final SequentialFile file;
  private final Reporter reporter;
  private final long initialOffset;
  private final FragmentReader fragments;

  // The unfinished record: its fragments so far are in the caller's buffer.
  private boolean inRecord;
  private long start;

  private boolean resyncing;

  // True if damaged bytes or an unfinished record were skipped since the last whole record.
  private boolean damaged;

  // True if the bytes skipped last count as torn, and no record has begun since.
  private boolean tornBefore;
  private long lastRecordOffset;
  private long endOfLastRecord;

  /** Opens a file, and creates a reader of all of it. */
  public LogReader(Env env, Path path, Reporter reporter) throws IOException {
    this(env, path, reporter, 0, newBlock());
  }

  /**
   * Opens a file, and creates a reader of the records that begin at or after {@code initialOffset},
   * with a buffer that another reader may have used before.
   *
   * @param reporter receives a report of skipped bytes
   * @param block a buffer that {@link #newBlock} returned, used as long as this reader is
   */
  public LogReader(Env env, Path path, Reporter reporter, long initialOffset, ByteBuffer block)
      throws IOException {
    this.env = env;
    this.path = path;
    this.file = env.openSequential(path);
    this.reporter = reporter;
    this.initialOffset = initialOffset;
    this.resyncing = initialOffset > 0;
    long header = LogFormat.nextHeader(initialOffset);
    long start = header - header % LogFormat.BLOCK;
    if (start > 0) {
      skip(file, start);
    }
    this.fragments = new FragmentReader(file, start, block);
    this.lastRecordOffset = start;
    this.endOfLastRecord = start;
  }

  /** Skips bytes. If that fails, there will be no reader that closes the file. */
  private static void skip(SequentialFile file, long bytes) throws IOException {
    try {
      file.skip(bytes);
    } catch (Throwable e) {
      try (file) {
        throw e;
      }
    }
  }

  /** Returns a buffer for a reader. */
  public static ByteBuffer newBlock() {
    return DirectMemory.allocate(LogFormat.BLOCK);
  }

  /**
   * Receives reports of the bytes that a reader skips, before the reader returns the next record.
   * An exception ends the read.
   */
  public interface Reporter {
    /** Passes over everything in silence. */
    Reporter IGNORED = (offset, bytes, reason, torn) -> {};

    /**
     * Bytes were skipped.
     *
     * @param offset the offset in the file at which they begin
     * @param bytes their number, as far as it is known
     * @param reason what is wrong with them
     * @param torn true if loss of power can explain them
     */
    void corruption(long offset, long bytes, String reason, boolean torn);

    /**
     * A region without a header was skipped before one that has a header. Loss of power may have
     * left it, or C++ LevelDB, which appends at the end of a file that was filled ahead. It counts
     * as torn. It may contain bytes, because the payload of a record is stored before its header.
     */
    default void gap(long offset, long bytes) {
      corruption(offset, bytes, "region never written", true);
    }
  }

  /**
   * Reads the next record into {@code out}.
   *
   * @return false at the end of the log
   * @throws IOException if the file cannot be read
   */
  public boolean readRecord(RecordBuffer out) throws IOException {
    inRecord = false;
    out.clear();
    while (true) {
      int type = fragments.next();
      switch (type) {
        case FragmentReader.END -> {
          damaged |= inRecord;
          out.clear();
          return false;
        }
        case FragmentReader.BAD, FragmentReader.GAP -> passOver(type, out);
        default -> {
          if (!isSkipped(type) && accept(type, out)) {
            return true;
          }
        }
      }
    }
  }

  private void passOver(int type, RecordBuffer out) {
    damaged |= type == FragmentReader.BAD;
    tornBefore = type == FragmentReader.GAP || fragments.torn();
    if (fragments.offset() >= initialOffset) {
      if (type == FragmentReader.GAP) {
        reporter.gap(fragments.offset(), fragments.bytes());
      } else {
        reporter.corruption(
            fragments.offset(), fragments.bytes(), fragments.reason(), fragments.torn());
      }
    }
    if (inRecord) {
      drop("error in middle of record", fragments.torn(), out);
    }
  }

  /** Returns true if the fragment belongs to a record that begins before the initial offset. */
  private boolean isSkipped(int type) {
    if (fragments.offset() < initialOffset) {
      return true;
    }
    if (!resyncing || type == LogFormat.MIDDLE) {
      return resyncing;
    }
    resyncing = false;
    return type == LogFormat.LAST;
  }

  /** Adds a fragment; returns true if it completes a record. */
  private boolean accept(int type, RecordBuffer out) throws IOException {
    switch (type) {
      case LogFormat.FULL, LogFormat.FIRST -> {
        // Early writers left an empty FIRST at the end of a block, before another beginning.
        if (inRecord && out.length() > 0) {
          drop("partial record without end", false, out);
        }
        out.clear();
        inRecord = true;
        tornBefore = false;
        start = fragments.offset();
      }
      case LogFormat.MIDDLE, LogFormat.LAST -> {
        if (!inRecord) {
          damaged = true;
          reporter.corruption(
              fragments.offset(),
              fragments.bytes(),
              "missing start of fragmented record",
              tornBefore);
          return false;
        }
      }
      default -> {
        long lost = fragments.bytes() + out.length();
        long from = inRecord ? start : fragments.offset();
        inRecord = false;
        damaged = true;
        out.clear();
        reporter.corruption(from, lost, "unknown record type " + type, false);
        return false;
      }
    }
    if (out.length() < LARGE && out.length() + fragments.bytes() >= LARGE) {
      out.reserve(measure());
    }
    if (!out.add(fragments.block(), fragments.payloadAt(), (int) fragments.bytes())) {
      drop("record over 2 GiB", false, out);
      return false;
    }
    if (type != LogFormat.FULL && type != LogFormat.LAST) {
      return false;
    }
    damaged = false;
    lastRecordOffset = start;
    endOfLastRecord = fragments.offset() + LogFormat.HEADER + fragments.bytes();
    return true;
  }

  /**
   * Returns the length of the unfinished record according to the headers of its fragments, as far
   * as they follow each other. They are not verified yet, so the length is only a hint.
   */
  private long measure() throws IOException {
    ByteBuffer header = ByteBuffer.allocate(LogFormat.HEADER).order(ByteOrder.LITTLE_ENDIAN);
    long sum = 0;
    try (SequentialFile again = env.openSequential(path)) {
      again.skip(start);
      for (long at = start; ; ) {
        boolean whole = FileContents.fill(header, again) == LogFormat.HEADER;
        int type = header.get(LogFormat.TYPE_OFFSET);
        if (!whole || type != (at == start ? LogFormat.FIRST : LogFormat.MIDDLE)) {
          boolean last = whole && type == LogFormat.LAST;
          return last ? sum + (header.getShort(LogFormat.LENGTH_OFFSET) & 0xffff) : sum;
        }
        int rest = LogFormat.leftInBlock(at) - LogFormat.HEADER;
        sum += rest;
        again.skip(rest);
        at += LogFormat.HEADER + rest;
      }
    } catch (NoSuchFileException e) {
      return 0; // deleted meanwhile, while this reader has it open
    }
  }

  /** Drops the fragments of the unfinished record. */
  private void drop(String reason, boolean torn, RecordBuffer out) {
    long lost = out.length();
    inRecord = false;
    damaged = true;
    out.clear();
    reporter.corruption(start, lost, reason, torn);
  }

  /** Returns the offset at which the last record read begins. */
  public long lastRecordOffset() {
    return lastRecordOffset;
  }

  /** Returns the offset after the last record read, or at which reading began if there is none. */
  public long endOfLastRecord() {
    return endOfLastRecord;
  }

  /** Returns how the log ends, once {@link #readRecord} has returned false. */
  public LogEnd end() {
    boolean hasRest =
        fragments.end() == LogEnd.RECORD
            && fragments.fileLength() > LogFormat.nextHeader(endOfLastRecord);
    return damaged || hasRest ? LogEnd.TORN : fragments.end();
  }

  /**
   * Returns the number of bytes in the file after the last record, except the zeros at its end,
   * once readRecord has returned false.
   */
  public long bytesAfterLastRecord() {
    return Math.max(0, fragments.writtenEnd() - endOfLastRecord);
  }

  /** Returns the file's name for messages. */
  public String fileName() {
    return path.toString();
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

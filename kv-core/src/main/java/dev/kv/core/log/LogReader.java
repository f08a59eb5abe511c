package dev.kv.core.log;

import dev.kv.env.SequentialFile;
import java.io.IOException;

/**
 * The reading end of a log (see {@link LogFormat}), for one thread. It trusts no length, and gives
 * every record that is whole; what it has to pass over it reports first, so that the caller decides
 * whether the record behind it counts.
 *
 * <p>Bytes are torn, rather than damaged, if a 512-byte sector under them is all zero, or all zero
 * from where the fragment begins inside it: loss of power can leave a sector as it was before. So
 * is the rest of a record whose beginning is torn. What has no end at the end of the file is passed
 * over without a report; {@link #end} tells.
 */
public final class LogReader implements AutoCloseable {
  private final String fileName;
  private final SequentialFile file;
  private final Reporter reporter;
  private final long initialOffset;
  private final FragmentReader fragments;

  // The record under way: its fragments so far are in the caller's buffer.
  private boolean inRecord;
  private long start;

  private boolean resyncing;

  // Whether something damaged was passed over since the last whole record.
  private boolean damaged;

  // Whether what was passed over last, with no beginning of a record since, counts as torn.
  private boolean tornBefore;
  private boolean ended;
  private LogEnd end = LogEnd.TORN;
  private long lastRecordOffset;
  private long endOfLastRecord;

  /** Creates a reader of the whole of {@code file}, which it takes over. */
  public LogReader(String fileName, SequentialFile file, Reporter reporter, boolean checksum)
      throws IOException {
    this(fileName, file, reporter, checksum, 0);
  }

  /**
   * Creates a reader of the records that begin at {@code initialOffset} or behind.
   *
   * @param fileName for messages
   * @param file at its beginning; it is taken over
   * @param reporter told of what is passed over
   * @param checksum whether to verify the checksums
   */
  public LogReader(
      String fileName, SequentialFile file, Reporter reporter, boolean checksum, long initialOffset)
      throws IOException {
    if (initialOffset < 0) {
      throw new IllegalArgumentException("initial offset " + initialOffset);
    }
    this.fileName = fileName;
    this.file = file;
    this.reporter = reporter;
    this.initialOffset = initialOffset;
    this.resyncing = initialOffset > 0;
    long header = LogFormat.nextHeader(initialOffset);
    long block = header - header % LogFormat.BLOCK;
    if (block > 0) {
      file.skip(block);
    }
    this.fragments = new FragmentReader(file, checksum, block);
    this.lastRecordOffset = block;
    this.endOfLastRecord = block;
  }

  /**
   * Told of what a reader passes over, before it gives the record behind. An exception ends the
   * read.
   */
  public interface Reporter {
    /**
     * Bytes were passed over.
     *
     * @param offset where in the file they begin
     * @param bytes how many they are, as far as is known
     * @param reason what is wrong with them
     * @param torn whether loss of power can have left them so
     */
    void corruption(long offset, long bytes, String reason, boolean torn);

    /**
     * A region without a header stands before something that has one. Loss of power may have left
     * it, or C++ LevelDB, which appends at the end of a file filled ahead. It counts as torn; there
     * may be bytes in it, as a record's payload is stored before its header.
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
          if (!ended) {
            ended = true;
            end = endOfLog();
          }
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

  /** Returns whether the fragment belongs to a record that begins before the initial offset. */
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

  /** Takes a fragment in; returns whether a record is whole with it. */
  private boolean accept(int type, RecordBuffer out) {
    switch (type) {
      case LogFormat.FULL, LogFormat.FIRST -> {
        // An empty FIRST before another beginning is what early writers left at the end of a block.
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
        long lost = fragments.bytes() + (inRecord ? out.length() : 0);
        long from = inRecord ? start : fragments.offset();
        inRecord = false;
        damaged = true;
        out.clear();
        reporter.corruption(from, lost, "unknown record type " + type, false);
        return false;
      }
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

  /** Drops the fragments so far of the record under way. */
  private void drop(String reason, boolean torn, RecordBuffer out) {
    long lost = out.length();
    inRecord = false;
    damaged = true;
    out.clear();
    reporter.corruption(start, lost, reason, torn);
  }

  /** Returns where the first fragment of the last record read begins. */
  public long lastRecordOffset() {
    return lastRecordOffset;
  }

  /** Returns where the last record read ends; before any, where reading began. */
  public long endOfLastRecord() {
    return endOfLastRecord;
  }

  /** Returns how the log ends, once {@link #readRecord} has returned false. */
  public LogEnd end() {
    return end;
  }

  private LogEnd endOfLog() {
    if (inRecord || damaged) {
      return LogEnd.TORN;
    }
    if (fragments.end() == LogEnd.RECORD
        && fragments.fileLength() > LogFormat.nextHeader(endOfLastRecord)) {
      return LogEnd.TORN;
    }
    return fragments.end();
  }

  /**
   * Returns how many bytes stand in the file behind the last record, but for the zeros at its end,
   * once readRecord has returned false.
   */
  public long bytesBehindLastRecord() {
    return Math.max(0, fragments.writtenEnd() - endOfLastRecord);
  }

  /** Returns the name given for messages. */
  public String fileName() {
    return fileName;
  }

  @Override
  public void close() throws IOException {
    file.close();
  }
}

package dev.kv.core.log;

import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.env.FileContents;
import dev.kv.core.key.InternalKey;
import dev.kv.core.memory.DirectMemory;
import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.function.IntPredicate;
import org.jspecify.annotations.Nullable;

/**
 * Judges the bytes after the last record of a log in which every record was synced before the next
 * one was written. If they are a record whose write was interrupted, three things hold:
 *
 * <ol>
 *   <li>its header, as far as it was written, has the length of a fragment that fits into the
 *       block, and a first fragment fills the block;
 *   <li>no shorter length matches its checksum, because a record that is whole was written;
 *   <li>no later record begins after it.
 * </ol>
 */
public final class LogTail {
  private static final int SECTOR = 512;
  private static final int BATCH_HEADER = Long.BYTES + Integer.BYTES;

  /** More than the operations of the records that damage in one block can hide. */
  private static final long MOST_NUMBERS_LEFT_OUT = 1 << 24;

  private final SequentialFile file;
  private final ByteBuffer block = DirectMemory.allocate(LogFormat.BLOCK);
  private final MaskedCrc32c crc = new MaskedCrc32c();
  private int length;

  /** The offset of the block in the file. */
  private long start;

  private LogTail(SequentialFile file) {
    this.file = file;
  }

  /**
   * Returns true if one fragment that begins a record is all of a log, or more than is there.
   *
   * @param head the first bytes of the log, enough for a header if the log has them
   * @param length the length of the log in bytes
   */
  public static boolean isOneFragment(byte[] head, long length) {
    if (head.length < LogFormat.HEADER) {
      return false;
    }
    byte type = head[LogFormat.TYPE_OFFSET];
    int payload =
        (head[LogFormat.LENGTH_OFFSET] & 0xff) | (head[LogFormat.LENGTH_OFFSET + 1] & 0xff) << 8;
    return (type == LogFormat.FULL || type == LogFormat.FIRST)
        && LogFormat.HEADER + payload >= length;
  }

  /**
   * Returns why the bytes are damaged, or null if an interrupted write explains them.
   *
   * @param endOfLastRecord the offset at which the bytes begin
   */
  public static @Nullable String damage(Env env, Path log, long endOfLastRecord)
      throws IOException {
    try (SequentialFile file = env.openSequential(log)) {
      return new LogTail(file).examine(LogFormat.nextHeader(endOfLastRecord));
    }
  }

  /**
   * Returns the offset of a batch of the log after the bytes that begin at {@code endOfLastRecord},
   * which are not a record; -1 if none is found. The beginning of a batch suffices, and its number
   * must be one that can follow: values may hold bytes of another log.
   *
   * @param sequence the sequence number that the next batch has at least; 0 if that is unknown
   */
  public static long nextBatch(Env env, Path log, long endOfLastRecord, long sequence)
      throws IOException {
    try (SequentialFile file = env.openSequential(log)) {
      return new LogTail(file).find(LogFormat.nextHeader(endOfLastRecord), sequence);
    }
  }

  private long find(long header, long sequence) throws IOException {
    int at = open(header);
    if (isBeginning(at)) {
      return -1; // a writer has finished the record in the meantime
    }
    return next(at + 1, found -> isBatch(found + LogFormat.HEADER, lengthAt(found), sequence));
  }

  private boolean isBatch(int at, int payload, long sequence) {
    if (payload < BATCH_HEADER) {
      return false;
    }
    long own = block.getLong(at);
    int count = block.getInt(at + Long.BYTES);
    return own >= sequence
        && (sequence == 0 || own - sequence < MOST_NUMBERS_LEFT_OUT)
        && own <= InternalKey.MAX_SEQUENCE
        && count >= 0
        && count <= payload;
  }

  private @Nullable String examine(long header) throws IOException {
    int at = open(header);
    String damage = headerDamage(at);
    if (damage == null && next(at + 1, any -> true) >= 0) {
      damage = "a record is damaged, and a whole one follows it";
    }
    return damage;
  }

  /** Reads the block with a header, and returns where it is in the block. */
  private int open(long header) throws IOException {
    int at = (int) (header % LogFormat.BLOCK);
    start = header - at;
    file.skip(start);
    read();
    return at;
  }

  /**
   * Returns the offset of the next accepted beginning of a record, in this block or a later one.
   */
  private long next(int from, IntPredicate accepts) throws IOException {
    int first = from;
    do {
      for (int at = first; at + LogFormat.HEADER <= length; at++) {
        if (isBeginning(at) && accepts.test(at)) {
          return start + at;
        }
      }
      start += LogFormat.BLOCK;
      first = 0;
    } while (read());
    return -1;
  }

  private boolean read() throws IOException {
    length = FileContents.fill(block, file);
    return length > 0;
  }

  private @Nullable String headerDamage(int at) {
    if (at + LogFormat.HEADER > length || isUnwritten(at)) {
      return null;
    }
    int type = typeAt(at);
    int payload = lengthAt(at);
    int room = LogFormat.BLOCK - at - LogFormat.HEADER;
    if (type != LogFormat.FULL && type != LogFormat.FIRST) {
      return "a record begins with a fragment of type " + type;
    }
    if (payload > room || (type == LogFormat.FIRST && payload < room)) {
      return "bad record length";
    }
    int most = Math.min(payload - 1, length - at - LogFormat.HEADER);
    int stored = block.getInt(at);
    crc.reset();
    crc.update((byte) type);
    for (int i = 0; i <= most; i++) {
      if (crc.maskedValue() == stored) {
        return "the length of a record is damaged: " + payload + " instead of " + i;
      }
      crc.update(block.get(Math.min(at + LogFormat.HEADER + i, length - 1)));
    }
    return null;
  }

  /** Returns true if a part of the header was not written: its sector is zero from there on. */
  private boolean isUnwritten(int at) {
    int nextSector = at - at % SECTOR + SECTOR;
    return LogFormat.isZero(block, at, Math.min(nextSector, at + LogFormat.HEADER))
        || (nextSector < at + LogFormat.HEADER
            && LogFormat.isZero(block, nextSector, at + LogFormat.HEADER));
  }

  /** Returns true if a fragment with a matching checksum begins a record there. */
  private boolean isBeginning(int at) {
    if (at + LogFormat.HEADER > length) {
      return false;
    }
    int type = typeAt(at);
    int payload = lengthAt(at);
    int end = at + LogFormat.HEADER + payload;
    if ((type != LogFormat.FULL && type != LogFormat.FIRST)
        || end > length
        || (type == LogFormat.FIRST && end < LogFormat.BLOCK)) {
      return false;
    }
    crc.reset();
    crc.update(block, at + LogFormat.TYPE_OFFSET, 1 + payload);
    return crc.maskedValue() == block.getInt(at);
  }

  private int typeAt(int at) {
    return block.get(at + LogFormat.TYPE_OFFSET) & 0xff;
  }

  private int lengthAt(int at) {
    return block.getShort(at + LogFormat.LENGTH_OFFSET) & 0xffff;
  }
}

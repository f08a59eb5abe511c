package dev.kv.core.state;

import dev.kv.bytes.Escape;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.env.FileContents;
import dev.kv.core.env.FileNames;
import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The incarnations of a database whose writes led to its present state, as the file CHANGES stores
 * them. Immutable. Each open that keeps logs begins an incarnation, after the writes that it has
 * recovered. So the writes of an earlier incarnation count up to the beginning of every later one;
 * the others were lost.
 *
 * <pre>
 *   file        := magic fixed64, oldest log fixed64, count fixed32, incarnation*, crc fixed32
 *   incarnation := id fixed64, start fixed64, first log fixed64, begun fixed64
 * </pre>
 *
 * <p>crc is the masked CRC32C of everything before it. A file that is not whole counts as none.
 *
 * @param oldestLog the number of the oldest log that is kept. If it is missing at an open, the
 *     history has ended: another program has deleted logs, or a repair has set {@link #NO_LOG}
 * @param list the incarnations, oldest first
 */
record Incarnations(long oldestLog, List<Incarnation> list) {
  private static final EngineLogger LOG = EngineLogger.of(Incarnations.class);

  private static final long MAGIC = 0x31736567_6e616863L; // "changes1"
  private static final int HEADER = 2 * Long.BYTES + Integer.BYTES;
  private static final int ENTRY = 4 * Long.BYTES;
  private static final int TRAILER = Integer.BYTES;

  /** The number that no log has, as the oldest log of a history that has ended. */
  static final long NO_LOG = 0;

  /** The incarnations that are stored at most; positions in older ones are refused. */
  static final int MOST = 4096;

  private static final int LARGEST_FILE = HEADER + MOST * ENTRY + TRAILER;

  /**
   * One incarnation.
   *
   * @param id a random number
   * @param start the sequence number of the last write before it
   * @param firstLog the number of its first log
   * @param begunMillis the time of its beginning
   */
  record Incarnation(long id, long start, long firstLog, long begunMillis) {}

  Incarnations {
    list = List.copyOf(list);
  }

  /** Returns the last incarnation. */
  Incarnation last() {
    return list.get(list.size() - 1);
  }

  /** Returns the index of the incarnation with an id, or -1. */
  int indexOf(long id) {
    for (int i = list.size() - 1; i >= 0; i--) {
      if (list.get(i).id() == id) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the index of the incarnation that wrote a log, or -1 if none did. */
  int indexOfLog(long log) {
    for (int i = list.size() - 1; i >= 0; i--) {
      if (list.get(i).firstLog() <= log) {
        return i;
      }
    }
    return -1;
  }

  /** Returns the sequence number of the last write of an incarnation that was not lost. */
  long end(int index) {
    long end = Long.MAX_VALUE;
    for (int i = index + 1; i < list.size(); i++) {
      end = Math.min(end, list.get(i).start());
    }
    return end;
  }

  /** Returns the sequence number of the last write in a log that was not lost. */
  long lastIn(long log) {
    return end(indexOfLog(log));
  }

  /**
   * Returns these incarnations and a next one, without those of which no position can be read any
   * more.
   */
  Incarnations with(Incarnation next) {
    List<Incarnation> more = new ArrayList<>(list);
    more.add(next);
    Incarnations all = new Incarnations(oldestLog, more);
    int oldest = Math.max(all.indexOfLog(oldestLog), 0);
    int first = Math.max(0, more.size() - MOST);
    while (first < oldest && all.end(first) < more.get(oldest).start()) {
      first++;
    }
    return new Incarnations(oldestLog, more.subList(first, more.size()));
  }

  /** Returns the same with another oldest log. */
  Incarnations withOldestLog(long log) {
    return new Incarnations(log, list);
  }

  /** Reads the file. Returns null if there is none, or if it is damaged. */
  static @Nullable Incarnations read(Env env, Path directory) throws IOException {
    ByteBuffer bytes = ByteBuffer.allocateDirect(LARGEST_FILE + 1).order(ByteOrder.LITTLE_ENDIAN);
    try (SequentialFile file = env.openSequential(FileNames.changes(directory))) {
      FileContents.fill(bytes, file);
    } catch (NoSuchFileException e) {
      return null;
    }
    Incarnations found = decode(bytes, bytes.position());
    if (found == null) {
      LOG.warn(
          "{}: damaged; the history of changes starts over",
          Escape.text(FileNames.changes(directory).toString()));
    }
    return found;
  }

  private static @Nullable Incarnations decode(ByteBuffer bytes, int length) {
    int count = (length - HEADER - TRAILER) / ENTRY;
    if (count < 1
        || length != HEADER + count * ENTRY + TRAILER
        || bytes.getLong(0) != MAGIC
        || bytes.getInt(2 * Long.BYTES) != count
        || bytes.getInt(length - TRAILER) != checksum(bytes, length - TRAILER)) {
      return null;
    }
    List<Incarnation> list = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      int at = HEADER + i * ENTRY;
      list.add(
          new Incarnation(
              bytes.getLong(at),
              bytes.getLong(at + Long.BYTES),
              bytes.getLong(at + 2 * Long.BYTES),
              bytes.getLong(at + 3 * Long.BYTES)));
    }
    return new Incarnations(bytes.getLong(Long.BYTES), list);
  }

  private static int checksum(ByteBuffer bytes, int length) {
    MaskedCrc32c crc = new MaskedCrc32c();
    crc.update(bytes, 0, length);
    return crc.maskedValue();
  }

  /** Replaces the file, durably: a crash leaves the old or the new one. */
  void write(Env env, Path directory) throws IOException {
    int length = HEADER + list.size() * ENTRY + TRAILER;
    ByteBuffer bytes = ByteBuffer.allocateDirect(length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.putLong(MAGIC).putLong(oldestLog).putInt(list.size());
    for (Incarnation each : list) {
      bytes.putLong(each.id()).putLong(each.start());
      bytes.putLong(each.firstLog()).putLong(each.begunMillis());
    }
    bytes.putInt(checksum(bytes, length - TRAILER)).flip();
    Path temporary = FileNames.temp(directory, oldestLog);
    try (WritableFile file = env.createWritable(temporary)) {
      file.append(bytes);
      file.sync();
    }
    env.rename(temporary, FileNames.changes(directory));
    env.syncDirectory(directory);
  }
}

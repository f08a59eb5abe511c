package dev.kv.core.log;

import dev.kv.core.BytesFile;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.zip.CRC32C;

/** A log as bytes in memory, to write, to damage and to read. */
public final class LogBytes {
  static final int BLOCK = 32768;
  static final int HEADER = 7;

  private byte[] bytes = new byte[0];

  /** How many bytes a read gives at most; 0 for as many as asked for. */
  private int shortReads;

  private boolean readError;

  /** Appends records with a writer that begins where the bytes end. */
  void write(String... records) {
    Writable file = new Writable();
    try (LogWriter writer = LogWriter.appending(Path.of("log"), file, bytes.length)) {
      for (String record : records) {
        writer.append(direct(record), 0, record.length());
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  int length() {
    return bytes.length;
  }

  byte[] bytes() {
    return bytes;
  }

  void append(byte[] more) {
    int had = bytes.length;
    bytes = Arrays.copyOf(bytes, had + more.length);
    System.arraycopy(more, 0, bytes, had, more.length);
  }

  /**
   * Fills the end with zeros to a multiple of the block size, at least {@code blocks} blocks in
   * all.
   */
  void fillBlocks(int blocks) {
    bytes =
        Arrays.copyOf(bytes, Math.max(blocks * BLOCK, (bytes.length + BLOCK - 1) / BLOCK * BLOCK));
  }

  void set(int at, int value) {
    bytes[at] = (byte) value;
  }

  void increment(int at, int by) {
    bytes[at] += (byte) by;
  }

  void fill(int from, int to, int value) {
    Arrays.fill(bytes, from, to, (byte) value);
  }

  void shrink(int by) {
    bytes = Arrays.copyOf(bytes, bytes.length - by);
  }

  /** Makes the checksum of the fragment at {@code header} right for its type and payload. */
  void fixChecksum(int header, int payload) {
    CRC32C crc = new CRC32C();
    crc.update(bytes, header + 6, 1 + payload);
    int masked = Integer.rotateRight((int) crc.getValue(), 15) + 0xa282ead8;
    ByteBuffer.wrap(bytes).order(ByteOrder.LITTLE_ENDIAN).putInt(header, masked);
  }

  void shortReads(int most) {
    shortReads = most;
  }

  void failReads() {
    readError = true;
  }

  /** Returns a copy of the record that a reader read last. */
  public static byte[] copy(RecordBuffer record) {
    byte[] bytes = new byte[record.length()];
    record.buffer().get(0, bytes);
    return bytes;
  }

  /** Reads all records from the beginning. */
  Result read() {
    return read(0);
  }

  /** Reads all records that begin at {@code initialOffset} or behind. */
  Result read(long initialOffset) {
    Result result = new Result();
    List<Sequential> files = new ArrayList<>();
    Env env =
        BytesFile.env(
            () -> {
              files.add(new Sequential());
              return files.get(files.size() - 1);
            });
    ByteBuffer block = LogReader.newBlock();
    try (LogReader reader = new LogReader(env, Path.of("log"), result, initialOffset, block)) {
      RecordBuffer record = new RecordBuffer();
      while (reader.readRecord(record)) {
        result.records.add(new String(copy(record), java.nio.charset.StandardCharsets.ISO_8859_1));
        result.offsets.add(reader.lastRecordOffset());
        result.ends.add(reader.endOfLastRecord());
      }
      if (record.length() != 0 || !reader.fileName().equals("log")) {
        throw new AssertionError("a record of " + reader.fileName() + " after the end");
      }
      result.end = reader.end();
      result.behind = reader.bytesAfterLastRecord();
      if (reader.readRecord(record) || reader.end() != result.end || record.length() != 0) {
        throw new AssertionError("the end is not the end");
      }
    } catch (IOException e) {
      result.error = e;
    }
    if (!files.stream().allMatch(each -> each.closed)) {
      throw new AssertionError("the reader left a file open");
    }
    return result;
  }

  /** Returns {@code text} over and over, {@code length} characters in all. */
  static String big(String text, int length) {
    return text.repeat(length / text.length() + 1).substring(0, length);
  }

  static String number(int n) {
    return n + ".";
  }

  /** Returns a string that is mostly short, and sometimes long. */
  static String skewed(int i, Random random) {
    return big(number(i), random.nextInt(1 << random.nextInt(18)));
  }

  static ByteBuffer direct(String record) {
    byte[] data = record.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
    return ByteBuffer.allocateDirect(data.length).order(ByteOrder.LITTLE_ENDIAN).put(0, data);
  }

  /** What a reader gave, and what it told. */
  static final class Result implements LogReader.Reporter {
    final List<String> records = new ArrayList<>();
    final List<Long> offsets = new ArrayList<>();
    final List<Long> ends = new ArrayList<>();
    final List<String> reasons = new ArrayList<>();
    final List<Long> damage = new ArrayList<>();
    final List<Boolean> torn = new ArrayList<>();
    long dropped;
    LogEnd end = LogEnd.TORN;
    long behind = -1;
    IOException error;

    @Override
    public void corruption(long offset, long bytes, String reason, boolean wasTorn) {
      dropped += bytes;
      damage.add(offset);
      reasons.add(reason);
      torn.add(wasTorn);
    }
  }

  /** The bytes of the log as a file, which may fail to be read. */
  private final class Sequential extends BytesFile {
    private boolean closed;

    Sequential() {
      super(bytes, shortReads > 0 ? shortReads : Integer.MAX_VALUE);
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      if (readError) {
        throw new IOException("no disk");
      }
      return super.read(into);
    }

    @Override
    public void close() {
      closed = true;
    }
  }

  private final class Writable implements WritableFile {
    private final ByteArrayOutputStream more = new ByteArrayOutputStream();

    @Override
    public void append(ByteBuffer source) {
      byte[] piece = new byte[source.remaining()];
      source.get(piece);
      more.writeBytes(piece);
    }

    @Override
    public void flush() {}

    @Override
    public void sync() {}

    @Override
    public long length() {
      return bytes.length + more.size();
    }

    @Override
    public void close() {
      LogBytes.this.append(more.toByteArray());
      more.reset();
    }
  }
}

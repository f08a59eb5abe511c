package dev.kv.core;

import static dev.kv.core.Bytes.bytes;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.log.LogWriter;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * Writes files in the format of a log, logs and MANIFESTs, with given records, as a test of
 * recovery or of the change feed needs them.
 */
public final class LogFiles {
  private LogFiles() {}

  /** Writes {@code records} into a new file. */
  public static void write(Env env, Path file, byte[]... records) throws IOException {
    try (LogWriter log = LogWriter.appending(file, env.createWritable(file), 0)) {
      append(log, records);
    }
  }

  /** Appends {@code records} to a file. */
  public static void append(Env env, Path file, byte[]... records) throws IOException {
    long size = env.size(file);
    try (LogWriter log = LogWriter.appending(file, env.openAppendable(file), size)) {
      append(log, records);
    }
  }

  private static void append(LogWriter log, byte[]... records) throws IOException {
    for (byte[] record : records) {
      log.append(Bytes.direct(record), 0, record.length);
    }
  }

  /** Returns the record of {@code batch}, whose first operation has the sequence number. */
  public static byte[] record(long sequence, EncodedBatch batch) {
    byte[] record = Arrays.copyOf(batch.bytes(), batch.length());
    ByteBuffer header = ByteBuffer.wrap(record).order(ByteOrder.LITTLE_ENDIAN);
    header.putLong(sequence).putInt(batch.count());
    return record;
  }

  /** Returns the record of a batch that puts "value" under each key. */
  public static byte[] record(long sequence, String... keys) {
    EncodedBatch batch = new EncodedBatch();
    for (String key : keys) {
      batch.put(bytes(key), bytes("value"));
    }
    return record(sequence, batch);
  }
}

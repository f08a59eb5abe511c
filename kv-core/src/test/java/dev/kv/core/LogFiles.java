package dev.kv.core;

import static dev.kv.core.Bytes.bytes;

import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.log.LogWriter;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;

/** Writes logs with given records, as a test of recovery or of the change feed needs them. */
public final class LogFiles {
  private LogFiles() {}

  /** Writes {@code records} into a new log. */
  public static void write(Env env, Path log, byte[]... records) throws IOException {
    try (LogWriter writer = LogWriter.appending(log, env.createWritable(log), 0)) {
      for (byte[] record : records) {
        writer.append(Bytes.direct(record), 0, record.length);
      }
      writer.closeCleanly();
    }
  }

  /** Returns the record of {@code batch}, whose first operation has the sequence number. */
  public static byte[] record(long sequence, EncodedBatch batch) {
    batch.setSequence(sequence);
    return Arrays.copyOf(batch.bytes(), batch.length());
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

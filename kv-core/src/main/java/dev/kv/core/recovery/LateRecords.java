package dev.kv.core.recovery;

import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * The records that a writer stores in logs at places that a recovery beside it has read before. A
 * second look at the logs finds them. For one thread.
 */
final class LateRecords {
  private final Env env;

  /** The logs that were read, and the end of the last record of each. */
  private final Map<Path, Long> ends = new LinkedHashMap<>();

  LateRecords(Env env) {
    this.env = env;
  }

  /** Notes that a log was read up to the end of its last record. */
  void readTo(Path log, long end) {
    ends.put(log, end);
  }

  /** Returns true if one of the logs that were read has a further record now. */
  boolean areInReadLogs() throws IOException {
    for (Map.Entry<Path, Long> read : ends.entrySet()) {
      if (areBetween(read.getKey(), read.getValue(), Long.MAX_VALUE)) {
        return true;
      }
    }
    return false;
  }

  /**
   * Returns true if a log has a record now that begins before {@code to}.
   *
   * @param from the end of the record before it
   */
  boolean areBetween(Path log, long from, long to) throws IOException {
    try (LogReader reader =
        new LogReader(env, log, LogReader.Reporter.IGNORED, from, LogReader.newBlock())) {
      return reader.readRecord(new RecordBuffer()) && reader.lastRecordOffset() < to;
    }
  }
}

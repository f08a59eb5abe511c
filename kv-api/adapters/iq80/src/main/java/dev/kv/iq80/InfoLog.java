package dev.kv.iq80;

import dev.kv.DB;
import dev.kv.admin.DBStats;
import dev.kv.errors.DBClosedException;
import java.io.File;
import java.util.concurrent.TimeUnit;
import org.iq80.leveldb.Logger;
import org.jspecify.annotations.Nullable;

/**
 * What the logger of a program's options is told: the open and what it recovered, compactions that
 * the program asked for, repairs, and the statistics at the close. What the logger throws is
 * ignored. The engine logs its background work through slf4j. Thread-safe if the logger is.
 */
final class InfoLog {
  private final @Nullable Logger logger;

  /** Creates it; without a logger nothing is told. */
  InfoLog(@Nullable Logger logger) {
    this.logger = logger;
  }

  private void log(String message) {
    if (logger == null) {
      return;
    }
    try {
      logger.log(message);
    } catch (Throwable ignored) {
      // A message is no reason to fail an open, or to leave a database open and locked
    }
  }

  void opened(File path, DB db) {
    if (logger == null) {
      return;
    }
    DBStats stats = db.admin().stats();
    StringBuilder message = new StringBuilder("opened ").append(path).append("; tables per level:");
    stats.levels().forEach(level -> message.append(' ').append(level.files()));
    DBStats.Recovery recovery = stats.recovery();
    message.append("; recovered ").append(recovery.records()).append(" writes");
    if (recovery.droppedBytes() > 0) {
      message.append(", dropped ").append(recovery.droppedBytes()).append(" bytes: ");
      message.append(recovery.reason());
    }
    log(message.toString());
  }

  void compacted(long nanos) {
    log("compacted a range in " + TimeUnit.NANOSECONDS.toMillis(nanos) + " ms");
  }

  void repaired(File path, dev.kv.admin.RepairReport report) {
    log("repaired " + path + ": " + report);
  }

  void closing(DB db) {
    if (logger == null) {
      return;
    }
    String statistics;
    try {
      statistics = db.admin().property("leveldb.stats");
    } catch (DBClosedException e) {
      return; // the program closed it beneath this layer
    }
    log("closes\n" + statistics);
  }
}

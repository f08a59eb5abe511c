package dev.kv.core.event;

import dev.kv.bytes.Escape;
import dev.kv.core.logging.EngineLogger;
import dev.kv.event.CloseEvent;
import dev.kv.event.CompactionEvent;
import dev.kv.event.DBEvent;
import dev.kv.event.DamageEvent;
import dev.kv.event.FailureEvent;
import dev.kv.event.FlushEvent;
import dev.kv.event.OpenEvent;
import dev.kv.event.StallEvent;
import dev.kv.event.SyncEvent;
import dev.kv.event.TableDeletedEvent;

/** The text of an event, one line without the database, and its level in the log. */
final class EventText {
  private EventText() {}

  /** Logs an event. */
  static void log(EngineLogger log, DBEvent event) {
    if (event instanceof FailureEvent failure) {
      log.error("{}", line(event), failure.cause());
    } else if (event instanceof DamageEvent) {
      log.warn("{}", line(event));
    } else if (isFrequent(event)) {
      if (log.isDebugEnabled()) {
        log.debug("{}", line(event));
      }
    } else if (log.isInfoEnabled()) {
      log.info("{}", line(event));
    }
  }

  private static String line(DBEvent event) {
    return Escape.text(event.database()) + ": " + of(event);
  }

  private static boolean isFrequent(DBEvent event) {
    return event instanceof TableDeletedEvent || event instanceof StallEvent;
  }

  /** Returns the text. */
  static String of(DBEvent event) {
    if (event instanceof OpenEvent e) {
      return text(e);
    } else if (event instanceof CloseEvent) {
      return "closed";
    } else if (event instanceof FlushEvent e) {
      return text(e);
    } else if (event instanceof CompactionEvent e) {
      return text(e);
    } else if (event instanceof StallEvent e) {
      return text(e);
    } else if (event instanceof SyncEvent e) {
      return "a sync of the log took " + millis(e.micros());
    } else if (event instanceof DamageEvent e) {
      return text(e);
    } else if (event instanceof TableDeletedEvent e) {
      return "deleted table " + e.table();
    } else if (event instanceof FailureEvent e) {
      return text(e);
    }
    throw new AssertionError(event);
  }

  private static String text(OpenEvent e) {
    return (e.readOnly() ? "opened for reads only: " : "opened: ")
        + e.tables()
        + " tables, "
        + e.records()
        + " batches from "
        + e.logs()
        + " logs, "
        + (e.droppedBytes() == 0 ? "" : e.droppedBytes() + " bytes of logs dropped, ")
        + millis(e.micros());
  }

  private static String text(FlushEvent e) {
    return "flushed "
        + e.entries()
        + " entries into table "
        + e.table()
        + " of "
        + e.bytes()
        + " bytes at level "
        + e.level()
        + " in "
        + millis(e.micros());
  }

  private static String text(CompactionEvent e) {
    if (e.isMove()) {
      return "moved a table from level " + e.level() + " to " + e.outputLevel();
    }
    String bytes =
        ", " + e.bytesRead() + " bytes into " + e.bytesWritten() + " in " + millis(e.micros());
    if (e.level() == e.outputLevel()) {
      return "rewrote " + e.inputs() + " tables of level " + e.level() + " in place" + bytes;
    }
    return "compacted "
        + e.inputs()
        + " tables of level "
        + e.level()
        + " and "
        + e.nextLevelInputs()
        + " of level "
        + e.outputLevel()
        + " into "
        + e.outputs()
        + bytes
        + " ("
        + e.reason()
        + ")";
  }

  private static String text(StallEvent e) {
    String reason =
        switch (e.reason()) {
          case LEVEL_0_SLOWDOWN -> "slowed down: level 0 has many tables";
          case LEVEL_0_STOP -> "stopped: level 0 has too many tables";
          case FLUSH_BEHIND -> "stopped: too many memtables wait for their flush";
        };
    return "writes were " + reason + " (now " + e.level0Tables() + "), for " + millis(e.micros());
  }

  private static String text(DamageEvent e) {
    String found = "damage: " + Escape.text(e.message());
    return switch (e.during()) {
      case RECOVERY, READ -> found;
      case COMPACTION ->
          "abandoned a compaction, and its damaged tables are not compacted until the database is"
              + " opened again: "
              + found
              + "; a repair saves what can be read";
    };
  }

  private static String text(FailureEvent e) {
    String failed = e.during() + " failed";
    String cause = Escape.text(e.cause().toString());
    return e.resumable()
        ? failed
            + ", the database is read-only until it succeeds; db.admin().resume() tries it again: "
            + cause
        : failed + "; the database is read-only from now on: " + cause;
  }

  private static String millis(long micros) {
    return micros / 1000 + "." + micros % 1000 / 100 + " ms";
  }
}

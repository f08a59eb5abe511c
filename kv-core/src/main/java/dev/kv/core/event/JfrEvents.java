package dev.kv.core.event;

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
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Description;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Threshold;
import org.jspecify.annotations.Nullable;

/** The events in the flight recorder. Loaded by {@link Events} when a recording begins. */
final class JfrEvents {
  private JfrEvents() {}

  /** Begins an event of this thread; returns null if such events are not recorded. */
  static @Nullable Object begin(Events.Kind kind) {
    Event event =
        switch (kind) {
          case OPEN -> new Open();
          case FLUSH -> new Flush();
          case COMPACTION -> new Compaction();
          case STALL -> new Stall();
          case SYNC -> new Sync();
        };
    if (!event.isEnabled()) {
      return null;
    }
    event.begin();
    return event;
  }

  /** Records an event; {@code begun} is the result of {@link #begin}, or null. */
  static void record(DBEvent event, @Nullable Object begun) {
    DatabaseEvent to = recorded(event, begun);
    to.database = event.database();
    to.commit();
  }

  private static DatabaseEvent recorded(DBEvent event, @Nullable Object begun) {
    if (event instanceof OpenEvent e) {
      return filled(e, begun instanceof Open open ? open : new Open());
    } else if (event instanceof CloseEvent) {
      return new Close();
    } else if (event instanceof FlushEvent e) {
      return filled(e, begun instanceof Flush flush ? flush : new Flush());
    } else if (event instanceof CompactionEvent e) {
      return filled(e, begun instanceof Compaction compaction ? compaction : new Compaction());
    } else if (event instanceof StallEvent e) {
      return filled(e, begun instanceof Stall stall ? stall : new Stall());
    } else if (event instanceof SyncEvent) {
      return begun instanceof Sync sync ? sync : new Sync();
    } else if (event instanceof DamageEvent e) {
      return filled(e, new Damage());
    } else if (event instanceof TableDeletedEvent e) {
      return filled(e, new TableDeleted());
    } else if (event instanceof FailureEvent e) {
      return filled(e, new Failure());
    }
    throw new AssertionError(event);
  }

  private static Open filled(OpenEvent from, Open to) {
    to.readOnly = from.readOnly();
    to.tables = from.tables();
    to.logs = from.logs();
    to.batches = from.records();
    to.droppedBytes = from.droppedBytes();
    return to;
  }

  private static Flush filled(FlushEvent from, Flush to) {
    to.table = from.table();
    to.level = from.level();
    to.bytes = from.bytes();
    to.entries = from.entries();
    return to;
  }

  private static Compaction filled(CompactionEvent from, Compaction to) {
    to.reason = from.reason();
    to.level = from.level();
    to.outputLevel = from.outputLevel();
    to.inputs = from.inputs();
    to.nextLevelInputs = from.nextLevelInputs();
    to.outputs = from.outputs();
    to.bytesRead = from.bytesRead();
    to.bytesWritten = from.bytesWritten();
    to.entriesRead = from.entriesRead();
    to.entriesWritten = from.entriesWritten();
    return to;
  }

  private static Stall filled(StallEvent from, Stall to) {
    to.reason = from.reason().name();
    to.level0Tables = from.level0Tables();
    return to;
  }

  private static Damage filled(DamageEvent from, Damage to) {
    to.during = from.during().name();
    to.file = from.file();
    to.offset = from.offset();
    to.message = from.message();
    return to;
  }

  private static TableDeleted filled(TableDeletedEvent from, TableDeleted to) {
    to.table = from.table();
    return to;
  }

  private static Failure filled(FailureEvent from, Failure to) {
    to.during = from.during();
    to.cause = from.cause().toString();
    to.resumable = from.resumable();
    return to;
  }

  /** The fields of every event. */
  @Category("kv")
  @StackTrace(false)
  abstract static class DatabaseEvent extends Event {
    @Label("Database")
    @Description("The directory of the database")
    @Nullable String database;
  }

  @Name("dev.kv.Open")
  @Label("Open")
  @Description("A database was opened")
  static final class Open extends DatabaseEvent {
    @Label("Read Only")
    boolean readOnly;

    @Label("Tables")
    int tables;

    @Label("Logs Replayed")
    int logs;

    @Label("Batches Replayed")
    long batches;

    @Label("Dropped Bytes of Logs")
    @DataAmount
    long droppedBytes;
  }

  @Name("dev.kv.Close")
  @Label("Close")
  @Description("A database was closed")
  static final class Close extends DatabaseEvent {}

  @Name("dev.kv.Flush")
  @Label("Flush")
  @Description("A memtable was written to a table")
  static final class Flush extends DatabaseEvent {
    @Label("Table")
    long table;

    @Label("Level")
    int level;

    @Label("Size")
    @DataAmount
    long bytes;

    @Label("Entries")
    long entries;
  }

  @Name("dev.kv.Compaction")
  @Label("Compaction")
  @Description("A compaction has replaced tables by others")
  static final class Compaction extends DatabaseEvent {
    @Label("Reason")
    @Nullable String reason;

    @Label("Level")
    int level;

    @Label("Output Level")
    int outputLevel;

    @Label("Input Tables")
    int inputs;

    @Label("Input Tables of the Next Level")
    int nextLevelInputs;

    @Label("Output Tables")
    int outputs;

    @Label("Bytes Read")
    @DataAmount
    long bytesRead;

    @Label("Bytes Written")
    @DataAmount
    long bytesWritten;

    @Label("Entries Read")
    long entriesRead;

    @Label("Entries Written")
    long entriesWritten;
  }

  @Name("dev.kv.Stall")
  @Label("Write Stall")
  @Description("A write was held back because flushes or compactions were behind")
  @StackTrace(true)
  static final class Stall extends DatabaseEvent {
    @Label("Reason")
    @Nullable String reason;

    @Label("Tables in Level 0")
    int level0Tables;
  }

  @Name("dev.kv.Sync")
  @Label("Log Sync")
  @Description("A sync of the log")
  @Threshold("20 ms")
  @StackTrace(true)
  static final class Sync extends DatabaseEvent {}

  @Name("dev.kv.Damage")
  @Label("Damage")
  @Description("Damaged bytes were found in a file")
  static final class Damage extends DatabaseEvent {
    @Label("During")
    @Nullable String during;

    @Label("File")
    @Nullable String file;

    @Label("Offset")
    long offset;

    @Label("Message")
    @Nullable String message;
  }

  @Name("dev.kv.TableDeleted")
  @Label("Table Deleted")
  @Description("The file of an obsolete table was deleted")
  static final class TableDeleted extends DatabaseEvent {
    @Label("Table")
    long table;
  }

  @Name("dev.kv.Failure")
  @Label("Failure")
  @Description("A write or background job failed, and the database accepts no writes since then")
  static final class Failure extends DatabaseEvent {
    @Label("During")
    @Nullable String during;

    @Label("Cause")
    @Nullable String cause;

    @Label("Resumable")
    boolean resumable;
  }
}

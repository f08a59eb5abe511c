package dev.kv.core.repair;

import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Escape;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.TableCursor;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.version.FileMetadata;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * The tables that a repair merges: those among its inputs, and those that it has made from logs. A
 * table that cannot be opened is read through the blocks that are found in it. For one thread.
 */
final class RepairTables {
  private static final EngineLogger LOG = EngineLogger.of(RepairTables.class);

  /** The number of entries of a table whose order is checked against the comparator. */
  private static final int ORDER_SAMPLE = 64;

  private final DatabaseContext context;
  private final RepairInputs inputs;
  private final String place;

  /** The tables of which something can be read, by number, in the order of their opens. */
  private final Map<Long, DeferredTable> opened = new LinkedHashMap<>();

  /** The blocks found in tables that cannot be opened, by table number. */
  private final Map<Long, BlockLocator> blocks = new HashMap<>();

  /** The bytes of the tables of which nothing can be read. */
  private long bytesOfLostTables;

  RepairTables(DatabaseContext context, RepairInputs inputs) {
    this.context = context;
    this.inputs = inputs;
    this.place = Escape.text(context.directory().toString());
  }

  /** Throws if one of the input tables was written with another comparator. */
  void requireOrder() throws IOException {
    Options options =
        context.options().toBuilder()
            .comparator(DBComparator.of("as they come", (unusedBefore, unusedAfter) -> -1))
            .build();
    try (DatabaseContext asTheyCome = new DatabaseContext(context.directory(), options)) {
      for (long table : inputs.tables()) {
        requireOrder(inputs.metadata(table), asTheyCome.tables());
      }
    }
  }

  /**
   * Refuses a table that was written with another comparator, as its properties say or as most of
   * its keys are out of order: the repair would skip many of its keys.
   */
  private void requireOrder(FileMetadata table, TableCache asTheyCome) {
    String given = context.comparator().userComparator().name();
    String order = given;
    int entries = 0;
    int misplaced = 0;
    byte[] before = {};
    try (ForwardIterator cursor = cursor(table, asTheyCome).entries()) {
      for (cursor.seekToFirst(); cursor.isValid() && entries < ORDER_SAMPLE; cursor.next()) {
        byte[] key = cursor.copyKey();
        if (key.length < InternalKey.TRAILER) {
          return;
        }
        if (before.length > 0 && context.comparator().compare(before, key) >= 0) {
          misplaced++;
        }
        before = key;
        entries++;
      }
      TableProperties properties = asTheyCome.properties(table);
      order = properties == null ? order : properties.comparator();
    } catch (CorruptionException | DBIOException e) {
      RepairInputs.requireLoss(e);
      LOG.debug(
          "{}: checked the order of {} entries of {}: {}", place, entries, table, e.toString());
    }
    if (misplaced > (entries - 1) / 2 || !order.equals(given)) {
      throw new UnsupportedFormatException(
          "the keys of "
              + Escape.text(inputs.table(table.number()).toString())
              + " are not in the order of "
              + Escape.text(given)
              + (order.equals(given) ? "" : " but of " + Escape.text(order))
              + ": give the database's own comparator as Options.comparator");
    }
  }

  /** Opens the input tables. */
  void openInputs() throws IOException {
    for (long number : inputs.tables()) {
      open(inputs.metadata(number));
    }
  }

  /** Opens a table, or counts it as lost. */
  void open(FileMetadata table) {
    try {
      opened.put(
          table.number(),
          new DeferredTable(
              damage -> salvage(table, damage),
              what -> LOG.warn("{}: skipped: {}", place, Escape.text(what))));
    } catch (CorruptionException | DBIOException e) {
      RepairInputs.requireLoss(e);
      boolean needed = inputs.isNeeded(table.number());
      LOG.warn(
          "{}: {}: {}",
          place,
          needed ? "lost the whole table" : "ignored a table that the MANIFEST does not name",
          Escape.text(String.valueOf(e.getMessage())));
      FileMetadata named = inputs.bounds(table.number());
      bytesOfLostTables += needed ? Math.max(table.size(), named == null ? 0 : named.size()) : 0;
    }
  }

  private SalvageIterator salvage(FileMetadata table, Consumer<String> damage) {
    SalvageIterator entries =
        new SalvageIterator(cursor(table, context.tables()), context.comparator(), damage);
    BlockLocator found = blocks.get(table.number());
    if (found != null) {
      entries.addLost(
          found.bytesLost(),
          "footer, index or filter of "
              + inputs.table(table.number())
              + ", of which "
              + found.handles().size()
              + " data blocks were found");
    }
    return entries;
  }

  /**
   * Returns a cursor over a table, or over the blocks found in it if it cannot be opened. A table
   * that the MANIFEST does not name was most likely never finished: its entries are in other files,
   * or have been deleted since.
   */
  private TableCursor cursor(FileMetadata table, TableCache tables) {
    try {
      return tables.iterator(table, true, false);
    } catch (CorruptionException | DBIOException e) {
      RepairInputs.requireLoss(e);
      BlockLocator found = inputs.isNeeded(table.number()) ? blocks(table.number()) : null;
      if (found == null || found.handles().isEmpty()) {
        throw e;
      }
      return new LocatedBlockCursor(
          context.env(), inputs.table(table.number()), context.comparator(), found.handles());
    }
  }

  private BlockLocator blocks(long table) {
    return blocks.computeIfAbsent(
        table,
        number ->
            BlockLocator.find(
                context.env(), inputs.table(number), context.comparator(), inputs.bounds(number)));
  }

  /** Returns a cursor over the entries of all open tables, which the caller closes. */
  ForwardIterator merged() {
    return DeferredTable.merge(context.comparator(), List.copyOf(opened.values()));
  }

  /** Returns the numbers of the inputs that were opened. */
  Set<Long> openedInputs() {
    Set<Long> numbers = new TreeSet<>(opened.keySet());
    numbers.retainAll(inputs.tables());
    return numbers;
  }

  /** Returns the numbers of the inputs in which nothing was skipped, after the merge. */
  Set<Long> wholeInputs() {
    Set<Long> whole = openedInputs();
    opened.forEach(
        (number, table) -> {
          if (table.damages() > 0) {
            whole.remove(number);
          }
        });
    return whole;
  }

  /** Returns the bytes of all tables that were not read, after the merge. */
  long bytesLost() {
    return bytesOfLostTables + opened.values().stream().mapToLong(DeferredTable::bytesLost).sum();
  }
}

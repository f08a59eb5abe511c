package dev.kv.core.db;

import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.Undo;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.state.CompactionStats;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseStats;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Opens a database for reading only, without taking LOCK and without writing. Replays the logs into
 * memtables and opens every table immediately, because an open table can still be read after the
 * writer has deleted it.
 *
 * <p>Another process may be writing to the database, so a file may be deleted before it is opened,
 * and a record may be incomplete. In that case the open starts again with the current MANIFEST.
 */
final class ReadOnlyOpener {
  private static final EngineLogger LOG = EngineLogger.of(ReadOnlyOpener.class);

  /**
   * The open fails after this many consecutive attempts with the same failure: if a writer is
   * active, each attempt fails on a different file.
   */
  private static final int TRIES = 50;

  /** The same limit if a file looks damaged, as a file may while it is written. */
  private static final int TRIES_IF_DAMAGED = 3;

  /** The maximum number of attempts in total that may lose the race with a writer. */
  private static final int MOST_TRIES = 2000;

  /** The pause after an attempt, unless the writer has just deleted another file. */
  private static final long PAUSE_MICROS = 5_000;

  private final Path directory;
  private final Options options;
  private final Env env;

  ReadOnlyOpener(Path directory, Options options) {
    this.directory = directory;
    this.options = options;
    this.env = options.env();
  }

  ReadOnlyDB open() throws IOException {
    requireDatabase();
    DatabaseContext context = new DatabaseContext(directory, options);
    try (Undo undo = new Undo(context::close)) {
      Events events = context.events();
      OpenTimer timer = new OpenTimer(events);
      TableUses uses = new TableUses(context);
      ReadOnlyView view = load(uses, () -> {}, loaded -> {});
      ReadOnlyViews views = new ReadOnlyViews(context, view);
      ReadOnlyDB db = assemble(context, uses, views);
      undo.cancel();
      timer.opened(view.versions().current(), view.numbers().recovery(), true);
      events.onPost(
          () -> {
            if (!Thread.holdsLock(views)) { // else at the end of the refresh
              events.deliver();
            }
          });
      events.deliverAll();
      return db;
    }
  }

  private DirectoryCheck requireDatabase() throws IOException {
    DirectoryCheck check = new DirectoryCheck(env, directory);
    if (!env.exists(FileNames.current(directory))) {
      throw check.noDatabase();
    }
    return check;
  }

  /**
   * Reads the files, again and again until no writer has deleted one of them meanwhile. An attempt
   * that fails keeps its tables open until the end of the next one, which opens only those that are
   * new.
   *
   * @param uses counts the uses of the tables of all views
   * @param checkOpen throws after the close
   * @param requirement throws if the view cannot be used
   */
  private ReadOnlyView load(TableUses uses, Runnable checkOpen, Consumer<ReadOnlyView> requirement)
      throws IOException {
    DirectoryCheck check = requireDatabase();
    String before = "";
    int same = 0;
    @Nullable ReadOnlyView failed = null;
    try {
      for (int tries = 1; ; tries++) {
        boolean last = same == TRIES - 1 || tries == MOST_TRIES;
        checkOpen.run();
        ReadOnlyView view = new ReadOnlyView(uses, last);
        boolean overtaken;
        try (Undo undo = new Undo(view::abandon)) {
          try {
            view.read(check);
            checkOpen.run();
            requirement.accept(view);
            undo.cancel();
            return view;
          } catch (NoSuchFileException | CorruptionException | DBIOException e) {
            same = e.toString().equals(before) ? same + 1 : 1;
            before = e.toString();
            overtaken = same == 1 && isVanished(e);
            if (last || (same == TRIES_IF_DAMAGED && !isVanished(e))) {
              throw e;
            }
            LOG.debug("{}: starting again: {}", directory, before);
          }
          undo.cancel();
        }
        if (failed != null) {
          failed.abandon();
        }
        failed = view;
        if (!overtaken) {
          env.sleepMicros(PAUSE_MICROS);
        }
      }
    } finally {
      if (failed != null) {
        failed.abandon();
      }
    }
  }

  private static boolean isVanished(Exception e) {
    return e instanceof NoSuchFileException || e.getCause() instanceof NoSuchFileException;
  }

  /** Reads the files again, and makes what they hold the view of new reads. */
  private boolean refresh(TableUses uses, ReadOnlyViews views, Events events, Runnable checkOpen) {
    try {
      synchronized (views) {
        return views.advance(load(uses, checkOpen, views::requireNotBefore));
      }
    } catch (IOException e) {
      throw new DBIOException("cannot refresh the database in " + directory + ": " + e, e);
    } finally {
      events.deliver();
    }
  }

  private ReadOnlyDB assemble(DatabaseContext context, TableUses uses, ReadOnlyViews views) {
    Events events = context.events();
    DatabaseReader reader =
        new DatabaseReader(
            views.states(),
            views.snapshots(),
            context.tables(),
            context.budget(),
            new TombstoneSkipIndex(
                context.comparator().userComparator(), ranges -> ranges.beginWatches(0)),
            null,
            events,
            options.monitoring().trackIterators());
    DatabaseStats stats =
        new DatabaseStats(
            context,
            reader,
            views.snapshots(),
            new CompactionStats(),
            () -> views.newest().numbers());
    return new ReadOnlyDBImpl(
        reader, stats, events, env, views, checkOpen -> refresh(uses, views, events, checkOpen));
  }
}

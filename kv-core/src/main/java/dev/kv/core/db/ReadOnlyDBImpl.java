package dev.kv.core.db;

import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBInspector;
import dev.kv.core.event.Events;
import dev.kv.core.read.DatabaseReader;
import dev.kv.core.state.DatabaseStats;
import dev.kv.env.Env;
import dev.kv.event.CloseEvent;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Predicate;

/**
 * A database that is open for reading only, possibly while another process writes to it. Shows the
 * state at the time of the open or of the last {@link #refresh}. Has no background threads.
 */
final class ReadOnlyDBImpl extends OpenDatabase implements ReadOnlyDB {
  private final DatabaseReader reader;
  private final Events events;
  private final DBInspector admin;
  private final ReadOnlyViews views;
  private final Predicate<Runnable> refresher;
  private final AtomicBoolean closed = new AtomicBoolean();

  /**
   * Creates the database.
   *
   * @param env the environment of the database
   * @param views what the database shows; closed by the close
   * @param refresher reads the files again, and returns true if there are later writes; calls its
   *     argument, which throws after the close, before each attempt
   */
  ReadOnlyDBImpl(
      DatabaseReader reader,
      DatabaseStats stats,
      Events events,
      Env env,
      ReadOnlyViews views,
      Predicate<Runnable> refresher) {
    super(reader);
    this.reader = reader;
    this.events = events;
    this.views = views;
    this.refresher = refresher;
    this.admin = new Inspector(this::checkOpen, stats, env, views::files);
  }

  @Override
  boolean isClosed() {
    return closed.get();
  }

  @Override
  public DBInspector admin() {
    return admin;
  }

  @Override
  public boolean refresh() {
    checkOpen();
    if (events.isDelivering()) {
      throw new IllegalStateException("a listener must not refresh the database that calls it");
    }
    return refresher.test(this::checkOpen);
  }

  @Override
  public void close() {
    requireNotInListener(events);
    if (closed.compareAndSet(false, true)) {
      synchronized (views) { // after the end of a refresh
        reader.close();
        views.free();
      }
      events.post(new CloseEvent(events.database()));
      views.closeContext();
    }
  }
}

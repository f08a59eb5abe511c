package dev.kv.core.db;

import dev.kv.change.ChangeFeed;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.core.feed.LogFeed;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** The change feed of a database that is open for writing. */
final class OpenChanges implements ChangeFeed {
  private final Runnable checkOpen;
  private final @Nullable LogFeed logs;

  /**
   * Creates the object.
   *
   * @param checkOpen throws after the close
   * @param logs reads the kept logs, or null if the database keeps none
   */
  OpenChanges(Runnable checkOpen, @Nullable LogFeed logs) {
    this.checkOpen = checkOpen;
    this.logs = logs;
  }

  @Override
  public Changes open(ChangeOptions options, ChangePosition after) {
    Objects.requireNonNull(options, "options");
    Objects.requireNonNull(after, "after");
    return logs().open(options, after);
  }

  @Override
  public ChangePosition position() {
    return logs().durable();
  }

  @Override
  public ChangePosition oldestPosition() {
    return logs().oldest();
  }

  private LogFeed logs() {
    checkOpen.run();
    LogFeed open = logs;
    if (open == null) {
      throw new IllegalStateException(
          "changes can be read only if the database was opened with Options.logRetention");
    }
    return open;
  }
}

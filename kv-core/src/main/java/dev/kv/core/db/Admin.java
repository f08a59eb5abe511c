package dev.kv.core.db;

import dev.kv.admin.DBAdmin;
import dev.kv.core.background.Compactor;
import dev.kv.core.background.ManualCompactions;
import dev.kv.core.background.OldTombstones;
import dev.kv.core.background.StaleTables;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** What an operator calls of a database that is open for writing. */
final class Admin extends Inspector implements DBAdmin {
  private final Parts parts;

  /**
   * Creates the object.
   *
   * @param checkOpen throws after the close
   */
  Admin(Runnable checkOpen, Parts parts) {
    super(checkOpen, parts.stats(), parts.context().env(), parts.tree().capture()::capture);
    this.parts = parts;
  }

  @Override
  public void flush() {
    parts.tree().jobs().flush();
  }

  @Override
  public void compactRange(byte @Nullable [] from, byte @Nullable [] to) {
    KeyBounds range = KeyBounds.of(from, to, parts.context().comparator().userComparator());
    compactRange(new KeyRange(range.lower(), range.upper()));
  }

  private void compactRange(KeyRange range) {
    Compactor compactor = parts.tree().compactor();
    compactor.requireNotSuspended();
    flush();
    compactor.awaitRunning();
    long newest = newestTable();
    int level = 0;
    while (level < Levels.COUNT - 1 && (level == 0 || overlapsBelow(level, range))) {
      compactor.runToEnd(ManualCompactions.Request.merge(level, range));
      level++;
    }
    Set<Long> stale = staleTables(newest, range);
    for (int each = 1; each < Levels.COUNT && !stale.isEmpty(); each++) {
      compactor.runToEnd(ManualCompactions.Request.rewrite(each, range, stale));
    }
    parts.files().obsolete().collect();
  }

  private Set<Long> staleTables(long newest, KeyRange range) {
    DatabaseContext context = parts.context();
    StaleTables stale = new StaleTables(context.tables(), context.options());
    return parts.files().versions().withCurrent(version -> stale.find(version, newest, range));
  }

  @Override
  public void compactDeletes(Duration age) {
    Objects.requireNonNull(age, "age");
    if (age.isNegative()) {
      throw new IllegalArgumentException("the age is negative: " + age);
    }
    checkOpen();
    parts.tree().compactor().requireNotSuspended();
    flush();
    UserKeyComparator order = parts.context().comparator().userComparator();
    OldTombstones old =
        new OldTombstones(parts.files().versions(), parts.context().tables(), order);
    Instant time = before(age);
    List<KeyRange> done = new ArrayList<>();
    for (FileMetadata table : old.writtenUntil(time)) {
      KeyRange range = table.userKeys();
      if (done.stream().noneMatch(each -> each.covers(order, range)) && old.isLeft(table, time)) {
        compactRange(range);
        done.add(range);
      }
    }
  }

  /** Returns the time that was so long ago, or the earliest one if that was before it. */
  private static Instant before(Duration age) {
    Instant now = Instant.now();
    return age.compareTo(Duration.between(Instant.MIN, now)) < 0 ? now.minus(age) : Instant.MIN;
  }

  private long newestTable() {
    return parts
        .files()
        .versions()
        .withCurrent(
            version -> version.files().stream().mapToLong(FileMetadata::number).max().orElse(0));
  }

  /** Returns true if a level below {@code level} has tables that overlap the range. */
  private boolean overlapsBelow(int level, KeyRange range) {
    return parts.files().versions().withCurrent(now -> now.overlapsFrom(level + 1, range));
  }

  @Override
  public void suspendCompactions() {
    checkOpen();
    parts.tree().compactor().suspend();
  }

  @Override
  public void resumeCompactions() {
    checkOpen();
    parts.tree().compactor().resume();
    parts.files().wakeups().compactionWanted();
  }

  @Override
  public void waitForCompactions() {
    parts.tree().compactor().awaitIdle();
    parts.files().obsolete().collect();
  }

  @Override
  public void resume() {
    parts.background().resume();
  }
}

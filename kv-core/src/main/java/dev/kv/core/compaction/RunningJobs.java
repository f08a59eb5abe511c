package dev.kv.core.compaction;

import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.LevelScores;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Tracks the inputs and the output ranges of the running flushes and compactions, so that jobs that
 * run at once do not conflict. Not thread-safe: guarded by the lock under which jobs are picked and
 * installed.
 *
 * <p>Two compactions may run at once if they share no input and the key ranges of their outputs do
 * not overlap in one level. That is sufficient: a compaction takes all tables of its output level
 * that overlap its range, so any conflict with the outputs of another compaction shows as a shared
 * input or as overlapping output ranges.
 *
 * <p>A range of keys may be reserved for a change that is no job. Then no compaction that reads or
 * writes keys of the range starts, and no flush places its table there, except in level 0.
 */
public final class RunningJobs {
  private final UserKeyComparator comparator;
  private final Set<FileMetadata> inputs = new HashSet<>();
  private final Set<Compaction> compactions = Collections.newSetFromMap(new IdentityHashMap<>());

  /** For each level, the keys that running flushes and compactions will write. */
  private final List<List<KeyRange>> occupied = new ArrayList<>();

  private final List<KeyBounds> reserved = new ArrayList<>();
  private final long[] inputBytes = new long[Levels.COUNT];
  private final Set<FileMetadata> setAside = new HashSet<>();

  /** Tables with many tombstones, in the order in which they were written. */
  private final Set<FileMetadata> withTombstones = new LinkedHashSet<>();

  private int levelZeroInputs;

  /** Creates the object without any job. */
  public RunningJobs(UserKeyComparator comparator) {
    this.comparator = comparator;
    for (int level = 0; level < Levels.COUNT; level++) {
      occupied.add(new ArrayList<>());
    }
  }

  /** Returns a view of the ranges that running jobs will write to in a level. */
  public List<KeyRange> occupied(int level) {
    return Collections.unmodifiableList(occupied.get(level));
  }

  /** Marks a range as the target of a running flush; for levels from 1 on. */
  public void occupy(int level, KeyRange keys) {
    occupied.get(level).add(keys);
  }

  /** Removes a range that {@link #occupy} added, the same object; called at the install. */
  public void vacate(int level, KeyRange keys) {
    removeSame(occupied.get(level), keys);
  }

  /**
   * Removes an object from a list, by identity: two jobs may have equal ranges. And on JDK 17, a
   * generated equals of a record keeps the class loader of the record. Allocates nothing: without
   * memory, the range would stay.
   */
  private static <T> void removeSame(List<T> list, T object) {
    for (int i = 0; i < list.size(); i++) {
      if (list.get(i) == object) {
        list.remove(i);
        return;
      }
    }
    throw new AssertionError("not in the list: " + object);
  }

  /**
   * Reserves a range of user keys in all levels. No new job enters it from now on; {@link
   * #isVacated} tells when the running ones have left it.
   */
  public void reserve(KeyBounds keys) {
    reserved.add(keys);
  }

  /** Returns true if no running job reads or writes keys of a reserved range. */
  public boolean isVacated(KeyBounds range) {
    return occupied.stream()
        .flatMap(List::stream)
        .noneMatch(keys -> range.overlaps(comparator, keys));
  }

  /** Removes a range that {@link #reserve} added, the same object. */
  public void release(KeyBounds range) {
    removeSame(reserved, range);
  }

  /** Returns true if user keys are in a reserved range. */
  public boolean isReserved(KeyRange keys) {
    return reserved.stream().anyMatch(range -> range.overlaps(comparator, keys));
  }

  /**
   * Adds a compaction that starts; if memory is short, throws and adds nothing. Requires that it
   * {@linkplain #conflicts does not conflict}.
   */
  public void start(Compaction compaction) {
    assert !conflicts(compaction) : compaction;
    occupy(compaction.outputLevel(), compaction.keys());
    try {
      compactions.add(compaction);
      inputs.addAll(compaction.allInputs());
    } catch (OutOfMemoryError e) {
      compactions.remove(compaction);
      free(compaction);
      throw e;
    }
    count(compaction, 1);
  }

  /**
   * Removes a compaction. Allocates nothing.
   *
   * @param installed true after its install, which replaced its inputs; false if it failed
   */
  public void end(Compaction compaction, boolean installed) {
    if (!compactions.remove(compaction)) {
      throw new AssertionError("not running: " + compaction);
    }
    free(compaction);
    count(compaction, -1);
    if (installed && !compaction.isTrivialMove()) {
      removeAll(withTombstones, compaction.inputs());
      removeAll(withTombstones, compaction.nextLevelInputs());
    }
  }

  /** Returns a copy of the running compactions. */
  public List<Compaction> running() {
    return List.copyOf(compactions);
  }

  /** Returns true if one of the compactions is still running. */
  public boolean isAnyRunning(List<Compaction> some) {
    return some.stream().anyMatch(compactions::contains);
  }

  /** Returns true if no job runs and no range is reserved: what prevents a compaction now stays. */
  public boolean isIdle() {
    return compactions.isEmpty() && reserved.isEmpty() && occupied.stream().allMatch(List::isEmpty);
  }

  /** Returns the number of running compactions. */
  public int compactions() {
    return compactions.size();
  }

  private void free(Compaction compaction) {
    vacate(compaction.outputLevel(), compaction.keys());
    removeAll(inputs, compaction.inputs());
    removeAll(inputs, compaction.nextLevelInputs());
  }

  private static void removeAll(Set<FileMetadata> set, List<FileMetadata> files) {
    for (int i = 0; i < files.size(); i++) {
      set.remove(files.get(i));
    }
  }

  private void count(Compaction compaction, int sign) {
    count(compaction.level(), compaction.inputs(), sign);
    count(compaction.outputLevel(), compaction.nextLevelInputs(), sign);
  }

  private void count(int level, List<FileMetadata> files, int sign) {
    for (int i = 0; i < files.size(); i++) {
      inputBytes[level] += sign * files.get(i).size();
    }
    if (level == 0) {
      levelZeroInputs += sign * files.size();
    }
  }

  /** Returns true if a table is an input of a running compaction. */
  public boolean isBusy(FileMetadata file) {
    return inputs.contains(file);
  }

  /** Marks a new table that has many tombstones: it is compacted down without being asked. */
  public void markTombstones(FileMetadata file) {
    withTombstones.add(file);
  }

  /** Returns the marked tables that no compaction has replaced since. */
  public Set<FileMetadata> withTombstones() {
    return Collections.unmodifiableSet(withTombstones);
  }

  /** Forgets all marked tables except these: the others are obsolete, or at the bottom. */
  public void keepMarked(List<FileMetadata> files) {
    withTombstones.retainAll(files);
  }

  /** Marks tables as damaged, so that no compaction that would read them is picked. */
  public void setAside(List<FileMetadata> damaged) {
    setAside.addAll(damaged);
  }

  /** Returns true if any table was set aside as damaged. */
  public boolean hasSetAside() {
    return !setAside.isEmpty();
  }

  /** Returns true if a compaction would read a table that was set aside. */
  public boolean needsSetAside(Compaction compaction) {
    return hasSetAside()
        && !compaction.isTrivialMove()
        && !Collections.disjoint(setAside, compaction.allInputs());
  }

  /** Returns true if a compaction has to wait for a running job. */
  public boolean conflicts(Compaction compaction) {
    return !Collections.disjoint(inputs, compaction.allInputs())
        || overlapsOutput(compaction)
        || isReserved(compaction.keys());
  }

  private boolean overlapsOutput(Compaction compaction) {
    return occupied.get(compaction.outputLevel()).stream()
        .anyMatch(range -> range.overlaps(comparator, compaction.keys()));
  }

  /** Returns the scores of a version's levels, not counting the inputs of running compactions. */
  public LevelScores scores(Version version) {
    return LevelScores.of(version, levelZeroInputs, inputBytes);
  }
}

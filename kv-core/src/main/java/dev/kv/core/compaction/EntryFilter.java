package dev.kv.core.compaction;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.BufferSlice;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import java.nio.ByteBuffer;
import org.jspecify.annotations.Nullable;

/**
 * Passes the surviving entries of one compaction to the program's {@link CompactionFilter}.
 *
 * <ol>
 *   <li>An entry is passed only if it is the newest of its key and newer than all snapshots: every
 *       reader that the compaction must not change sees another entry, or pins the inputs.
 *   <li>A dropped entry becomes a tombstone with the same sequence number, so that it hides what it
 *       hid before. Nothing is written if there is nothing to hide: no snapshot, so that all older
 *       entries of the key among the inputs are dropped too, and no deeper level that may contain
 *       the key.
 *   <li>After an exception of the filter, all entries are kept.
 * </ol>
 *
 * Not thread-safe. Allocates nothing for an entry that is kept.
 */
final class EntryFilter implements AutoCloseable {
  private static final int ENTRY_BYTES = 256;

  private final CompactionFilter filter;
  private final int level;
  private final BaseLevelCheck baseLevels;
  private final boolean hasSnapshots;
  private final BufferSlice key = new BufferSlice();
  private final BufferSlice value = new BufferSlice();

  /** The key and value that replace those of the current entry. */
  private final OffHeapBuffer changed;

  private boolean isChanged;
  private int keyLength;
  private int valueLength;
  private long dropped;
  private long replaced;
  private @Nullable Throwable failure;

  /**
   * Creates a filter for one compaction.
   *
   * @param level the level of the outputs
   * @param baseLevels the check that the compaction uses
   * @param hasSnapshots true if a snapshot was open when the compaction began
   */
  EntryFilter(
      CompactionFilter filter,
      int level,
      BaseLevelCheck baseLevels,
      boolean hasSnapshots,
      OffHeapBudget budget) {
    this.filter = filter;
    this.level = level;
    this.baseLevels = baseLevels;
    this.hasSnapshots = hasSnapshots;
    this.changed = new OffHeapBuffer(budget, ENTRY_BYTES);
  }

  /**
   * Decides about an entry that survives.
   *
   * @param mayChange true if the entry may be passed to the program
   * @return false if nothing of it is left; otherwise {@link #addTo} adds it
   */
  boolean keeps(ForwardIterator entry, boolean mayChange) {
    isChanged = false;
    if (!mayChange || failure != null) {
      return true;
    }
    Decision decision = decide(entry);
    if (decision == Decision.KEEP) {
      return true;
    }
    if (decision == Decision.DROP) {
      dropped++;
      return leavesTombstone(entry);
    }
    byte[] replacement = decision.replacement();
    if (replacement != null) {
      replaced++;
      change(entry, ValueKind.VALUE, replacement);
    }
    return true;
  }

  private Decision decide(ForwardIterator entry) {
    key.point(entry.keyBuffer(), entry.keyOffset(), entry.keyLength() - InternalKey.TRAILER);
    value.point(entry.valueBuffer(), entry.valueOffset(), entry.valueLength());
    try {
      Decision decision = filter.filter(level, key, value);
      if (decision != null) {
        return decision;
      }
      failure = new IllegalStateException("the compaction filter returned null");
    } catch (VirtualMachineError e) {
      if (!(e instanceof StackOverflowError)) {
        throw e;
      }
      failure = e;
    } catch (Throwable e) {
      failure = e;
    } finally {
      key.revoke();
      value.revoke();
    }
    return Decision.KEEP;
  }

  private boolean leavesTombstone(ForwardIterator entry) {
    int userLength = entry.keyLength() - InternalKey.TRAILER;
    if (hasSnapshots || baseLevels.mayHold(entry.keyBuffer(), entry.keyOffset(), userLength)) {
      change(entry, ValueKind.DELETION, new byte[0]);
      return true;
    }
    return false;
  }

  private void change(ForwardIterator entry, ValueKind kind, byte[] newValue) {
    keyLength = entry.keyLength();
    valueLength = newValue.length;
    ByteBuffer bytes = changed.ensureCapacity(Math.addExact(keyLength, valueLength));
    int trailer = keyLength - InternalKey.TRAILER;
    bytes.put(0, entry.keyBuffer(), entry.keyOffset(), trailer);
    long tag = entry.keyBuffer().getLong(entry.keyOffset() + trailer);
    bytes.putLong(trailer, InternalKey.pack(InternalKey.sequence(tag), kind));
    bytes.put(keyLength, newValue);
    isChanged = true;
  }

  /** Adds the current entry to the open table, as {@link #keeps} left it. */
  void addTo(OutputWriter out, ForwardIterator entry) {
    if (isChanged) {
      out.add(changed.buffer(), 0, keyLength, changed.buffer(), keyLength, valueLength);
    } else {
      out.add(entry);
    }
  }

  /** Returns what was changed up to now. */
  FilterResult result() {
    return new FilterResult(dropped, replaced, failure);
  }

  @Override
  public void close() {
    changed.close();
  }
}

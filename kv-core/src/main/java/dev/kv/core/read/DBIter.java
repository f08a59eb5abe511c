package dev.kv.core.read;

import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.iterator.SkipRange;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.LookupKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.table.TableIterator;
import dev.kv.core.version.Levels;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import java.nio.ByteBuffer;
import java.util.concurrent.ThreadLocalRandom;
import org.jspecify.annotations.Nullable;

/**
 * A cursor over user keys and values, based on a cursor over internal entries. For each user key it
 * returns the newest entry that is visible at a sequence number. It skips the key if that entry is
 * a tombstone. Used by one thread; any thread may call {@link #stop}.
 *
 * <pre>
 * Forward:  the internal cursor is at the current entry.
 * Backward: `saved` is a copy of the current entry. The internal cursor is before all visible
 *           entries of its user key. Between the two there are no entries of other user keys,
 *           except invisible ones.
 * In both directions `saved` begins with the user key that the next step forward skips.
 * </pre>
 *
 * <p>A step forward copies the current user key, to recognize and skip its older entries. A step
 * backward reaches the newest entry of a key last, and finds out that it was the last only at the
 * entry before it. So it copies the key and the value of each candidate.
 */
final class DBIter {
  // What readers see of an entry: the codes of its kind, and one more.
  static final int VALUE = 1;
  static final int DELETION = 0;
  static final int NOTHING = -1;

  /** If reads are sampled, one seek in so many that skip a range samples a key of it. */
  private static final int SKIPS_PER_SAMPLE = 16;

  private final InternalIterator internal;
  private final UserKeyComparator comparator;
  private final boolean bytewise;
  private final long sequence;
  private final long changes;
  private final KeyBuffer saved;
  private final LookupKey target;
  private final @Nullable LookupKey lower;
  private final @Nullable LookupKey upper;
  private final @Nullable ReadSampler sampler;
  private final TombstoneSkipIndex skips;
  private final String database;

  private boolean valid;
  private boolean forward = true;
  private long bytesUntilSample;
  private volatile boolean stopped;

  /**
   * Creates a cursor without an entry.
   *
   * @param internal the internal entries, whose keys have at least a tag, as the cursor of a block
   *     checks; the caller keeps the ownership
   * @param changes how often content had changed outside the log
   * @param scratch the sequence number to read at, and reusable objects, which the caller must not
   *     release while it uses the cursor
   * @param parts what all cursors of the database share
   */
  DBIter(
      InternalIterator internal,
      UserKeyComparator comparator,
      long changes,
      KeyBounds bounds,
      ReadContext scratch,
      CursorParts parts) {
    this.internal = internal;
    this.comparator = comparator;
    this.bytewise = comparator.isBytewise();
    this.sequence = scratch.sequence();
    this.changes = changes;
    this.saved = scratch.saved();
    this.target = scratch.key();
    this.lower = scratch.lower(bounds, sequence);
    this.upper = scratch.upper(bounds);
    this.sampler = parts.sampler();
    this.skips = parts.skips();
    this.database = parts.database();
    this.bytesUntilSample = sampler == null ? Long.MAX_VALUE : samplePeriod();
  }

  /** Makes a running move, and every later move that must skip entries, throw. */
  void stop() {
    stopped = true;
  }

  boolean isValid() {
    return valid;
  }

  /** Leaves the cursor without an entry. */
  void invalidate() {
    valid = false;
  }

  ByteBuffer keyBuffer() {
    return forward ? internal.keyBuffer() : saved.buffer();
  }

  int keyOffset() {
    return forward ? internal.keyOffset() : 0;
  }

  int keyLength() {
    return forward ? internal.keyLength() - InternalKey.TRAILER : saved.keyLength();
  }

  ByteBuffer valueBuffer() {
    return forward ? internal.valueBuffer() : saved.buffer();
  }

  int valueOffset() {
    return forward ? internal.valueOffset() : saved.valueOffset();
  }

  int valueLength() {
    return forward ? internal.valueLength() : saved.valueLength();
  }

  void seekToFirst() {
    seekForward(lower);
  }

  /**
   * Moves to the first entry at or after {@code from}, or to the first of all if that is null.
   * Begins after the tombstones that an earlier seek has skipped, if it can.
   */
  private void seekForward(@Nullable LookupKey from) {
    valid = false;
    forward = true;
    SkipRange range = skips.isEmpty() ? null : skips.find(from, sequence, changes);
    if (range != null) {
      sampleSkipped(from);
    }
    byte[] end = range == null ? null : range.end();
    if (end != null) {
      target.set(end, sequence);
      seekInternal(target);
    } else if (range != null) {
      return; // no key is left
    } else if (from == null) {
      internal.seekToFirst();
    } else {
      seekInternal(from);
    }
    int tombstones = findForward(false);
    if (tombstones >= TombstoneSkipIndex.MANY) {
      skips.offer(range == null ? copy(from) : range.from(), copyOfReached(), sequence, changes);
    }
  }

  /**
   * Now and then samples the first key of a range that a seek skips, so that reads over tombstones
   * still cause their compaction. As the first table is compacted, the next one becomes the first.
   */
  private void sampleSkipped(@Nullable LookupKey from) {
    ReadSampler taker = sampler;
    if (taker == null || ThreadLocalRandom.current().nextInt(SKIPS_PER_SAMPLE) != 0) {
      return;
    }
    if (from == null) {
      internal.seekToFirst();
    } else {
      seekInternal(from);
    }
    if (internal.isValid()) {
      taker.sample(internal.keyBuffer(), internal.keyOffset(), internal.keyLength());
    }
  }

  private static byte @Nullable [] copy(@Nullable LookupKey key) {
    return key == null ? null : InternalKey.copy(key.buffer(), 0, key.userKeyLength());
  }

  /** Returns the key of the current entry, or else the upper bound, which may be null. */
  private byte @Nullable [] copyOfReached() {
    return valid ? InternalKey.copy(keyBuffer(), keyOffset(), keyLength()) : copy(upper);
  }

  void seekToLast() {
    valid = false;
    forward = false;
    if (upper == null) {
      internal.seekToLast();
    } else {
      seekInternal(upper);
      stepBeforeInternal();
    }
    findBackward();
  }

  /** Moves to the first entry at or after the buffer's remaining bytes. */
  void seek(ByteBuffer key) {
    target.set(key, sequence);
    seekForward(lower != null && compareTargetTo(lower) < 0 ? lower : target);
  }

  /** Moves to the last entry at or before the buffer's remaining bytes. */
  void seekForPrev(ByteBuffer key) {
    target.set(key, 0);
    if (upper != null && compareTargetTo(upper) >= 0) {
      seekToLast();
      return;
    }
    valid = false;
    forward = false;
    seekInternal(target);
    saved.setKey(target.buffer(), 0, target.userKeyLength());
    while (internal.isValid() && isSavedKey()) {
      internal.next();
    }
    stepBeforeInternal();
    findBackward();
  }

  private void seekInternal(LookupKey to) {
    internal.seek(to.buffer(), 0, to.internalKeyLength());
  }

  private int compareTargetTo(LookupKey bound) {
    return compareToBound(target.buffer(), 0, target.userKeyLength(), bound);
  }

  /** Moves the internal cursor back by one; from the end, to the last entry. */
  private void stepBeforeInternal() {
    if (internal.isValid()) {
      internal.prev();
    } else {
      internal.seekToLast();
    }
  }

  /** Moves to the next entry. Requires {@link #isValid}. */
  void next() {
    valid = false;
    if (forward) {
      saved.setKey(
          internal.keyBuffer(), internal.keyOffset(), internal.keyLength() - InternalKey.TRAILER);
      internal.next();
    } else {
      forward = true;
      if (internal.isValid()) {
        internal.next();
      } else {
        internal.seekToFirst();
      }
    }
    findForward(true);
  }

  /**
   * Returns the cursor of the only table that has entries from the current one on, or null. A scan
   * moves it to the end of its block, and then calls {@link #nextBlock}. Requires {@link #isValid},
   * after a move forward.
   */
  @Nullable TableIterator soleTable() {
    boolean sole = !(internal instanceof MergingIterator merging) || merging.isLastSource();
    return sole && bytewise && internal.source() instanceof TableIterator table ? table : null;
  }

  /** Returns true if some entries of the block may be after the range. */
  boolean mayLeaveRange(TableIterator table) {
    return upper != null && !table.isBlockBefore(upper.buffer(), 0, upper.internalKeyLength());
  }

  /** Returns true if a user key is after the range. Requires that there is an upper bound. */
  boolean isAfterRange(ByteBuffer buffer, int offset, int length) {
    return upper != null && compareToBound(buffer, offset, length, upper) >= 0;
  }

  /**
   * Moves to the next entry after the block of {@code table}, which is at its last entry.
   *
   * @param decided true if other entries of that entry's user key are hidden
   */
  void nextBlock(TableIterator table, boolean decided) {
    valid = false;
    saved.setKey(table.keyBuffer(), table.keyOffset(), table.keyLength() - InternalKey.TRAILER);
    internal.next();
    findForward(decided);
  }

  /** Moves to the previous entry. Requires {@link #isValid}. */
  void prev() {
    valid = false;
    if (forward) {
      forward = false;
      saved.setKey(
          internal.keyBuffer(), internal.keyOffset(), internal.keyLength() - InternalKey.TRAILER);
      do {
        checkStopped();
        internal.prev();
      } while (internal.isValid() && isSavedKey());
    }
    findBackward();
  }

  /**
   * Moves the internal cursor forward from its current entry to the first entry to return. Returns
   * the number of tombstones skipped.
   *
   * @param hiding whether entries of the saved user key are hidden
   */
  private int findForward(boolean hiding) {
    int tombstones = 0;
    InternalIterator at = internal;
    boolean hidesSaved = hiding;
    while (at.isValid()) {
      ByteBuffer buffer = at.keyBuffer();
      int offset = at.keyOffset();
      int length = at.keyLength() - InternalKey.TRAILER;
      long tag = tagOf(buffer, offset, length);
      if (upper != null && compareToBound(buffer, offset, length, upper) >= 0) {
        return tombstones;
      }
      int seen = see(tag, hidesSaved && isSaved(buffer, offset, length));
      if (seen == VALUE) {
        valid = true;
        return tombstones;
      }
      if (seen == DELETION) {
        saved.setKey(buffer, offset, length);
        hidesSaved = true;
        tombstones++;
      }
      checkStopped();
      at.next();
    }
    return tombstones;
  }

  /**
   * Moves the internal cursor backward from its current entry until it is before the next entry to
   * return, and saves that entry.
   */
  private void findBackward() {
    InternalIterator at = internal;
    boolean found = false;
    while (at.isValid()) {
      ByteBuffer buffer = at.keyBuffer();
      int offset = at.keyOffset();
      int length = at.keyLength() - InternalKey.TRAILER;
      long tag = tagOf(buffer, offset, length);
      int seen = see(tag, false);
      if (seen != NOTHING) {
        if (found && !isSaved(buffer, offset, length)) {
          break;
        }
        if (lower != null && compareToBound(buffer, offset, length, lower) < 0) {
          break;
        }
        found = seen == VALUE;
        if (found) {
          saved.setEntry(
              buffer, offset, length, at.valueBuffer(), at.valueOffset(), at.valueLength());
        }
      }
      checkStopped();
      at.prev();
    }
    valid = found;
  }

  /**
   * Returns the tag of the current internal entry, and counts the entry's bytes for the sampler.
   */
  private long tagOf(ByteBuffer buffer, int offset, int length) {
    bytesUntilSample -= internal.keyLength() + internal.valueLength();
    if (bytesUntilSample < 0) {
      sample();
    }
    return buffer.getLong(offset + length);
  }

  /**
   * Decides what readers see of an entry: nothing if it is newer than the view, or hidden.
   *
   * @param hidden true if a newer entry of the same user key was seen
   * @return {@link #VALUE}, {@link #DELETION} or {@link #NOTHING}
   */
  int see(long tag, boolean hidden) {
    return hidden || InternalKey.sequence(tag) > sequence ? NOTHING : kindOf(tag);
  }

  private int kindOf(long tag) {
    int kind = InternalKey.kindCode(tag);
    if (kind != VALUE && kind != DELETION) {
      throw malformed();
    }
    return kind;
  }

  private boolean isSavedKey() {
    return isSaved(
        internal.keyBuffer(), internal.keyOffset(), internal.keyLength() - InternalKey.TRAILER);
  }

  private boolean isSaved(ByteBuffer buffer, int offset, int length) {
    return bytewise
        ? saved.hasKeyBytes(buffer, offset, length)
        : saved.compareTo(buffer, offset, length, comparator) == 0;
  }

  private int compareToBound(ByteBuffer buffer, int offset, int length, LookupKey bound) {
    return comparator.compare(buffer, offset, length, bound.buffer(), 0, bound.userKeyLength());
  }

  private void sample() {
    ReadSampler taker = sampler;
    if (taker == null) {
      bytesUntilSample = Long.MAX_VALUE;
      return;
    }
    while (bytesUntilSample < 0) {
      bytesUntilSample += samplePeriod();
    }
    taker.sample(internal.keyBuffer(), internal.keyOffset(), internal.keyLength());
  }

  private static long samplePeriod() {
    return ThreadLocalRandom.current().nextInt(2 * Levels.READ_BYTES_PERIOD) + 1L;
  }

  /** Throws if the database was closed. */
  void checkStopped() {
    if (stopped) {
      throw new DBClosedException("the database was closed during a move of the iterator");
    }
  }

  private CorruptionException malformed() {
    byte[] key = internal.source().copyKey(); // the scan of a block moves the source, not internal
    return internal.corruption(
        "an entry has a malformed internal key: " + InternalKey.describe(key), database);
  }
}

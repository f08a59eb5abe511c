package dev.kv.options;

import dev.kv.admin.DBAdmin;
import dev.kv.bytes.Slice;
import dev.kv.errors.ConflictException;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Decides during compactions whether an entry is kept, dropped, or gets another value. A database
 * has at most one, {@link dev.kv.Options.Compaction#filter()}. It suits data that becomes useless
 * without a delete, such as entries that expire ({@link dev.kv.ttl.TimeToLive}) or that refer to
 * something that no longer exists.
 *
 * <pre>{@code
 * CompactionFilter filter =
 *     (level, key, value) -> isObsolete(value) ? Decision.DROP : Decision.KEEP;
 * Options options = Options.builder().compaction(c -> c.filter(filter)).build();
 * }</pre>
 *
 * <p><b>Which entries.</b> A compaction passes to the filter the newest version of each key among
 * its inputs, if no snapshot that is open when the compaction begins sees this version. Tombstones,
 * and what a memtable holds, are not passed. Which entries are compacted and when is not defined:
 * an entry may be passed never, or many times. After {@link DBAdmin#compactRange} over all keys,
 * each entry from before the call that no snapshot saw has been passed at least once.
 *
 * <p><b>What readers see.</b> A decision takes effect when the compaction ends, for all keys of the
 * compaction at once. From then on, reads return the new state. Open iterators and snapshots do not
 * change, also those that were opened while the compaction ran; such a snapshot keeps the tables
 * from before until it is closed. A key that is dropped does not exist any more, and older versions
 * of it do not come back. A {@link dev.kv.ReadOnlyDB} that was opened or refreshed while the
 * compaction ended may show the old state beside later writes, until its next refresh. A
 * transaction that depends on a dropped or changed key throws {@link ConflictException} at its
 * commit, unless the drop takes effect while the commit is being written: then the commit counts as
 * the earlier one.
 *
 * <p><b>Rules.</b> Compactions call the filter from several threads at once, without a lock. It
 * must be thread-safe and fast, because writers may wait for compactions, and must not call the
 * database, nor {@link System#exit} if a shutdown hook closes it. The same key and value should get
 * the same decision again, or a stricter one; the filter must work on its own results.
 *
 * <p><b>Failures.</b> If the filter throws an exception or returns null, the entry is kept, and so
 * are all later ones of that compaction, without a call. The first exception of a compaction is
 * logged as a warning. Writes and reads are not affected, and the next compaction calls the filter
 * again. An {@link OutOfMemoryError} fails the compaction instead, as it does anywhere else:
 * nothing is changed, and the database tries again within a second.
 *
 * <p>The name and the presence of a filter are not stored. A database can be opened with another
 * filter, or without one, each time.
 */
@FunctionalInterface
public interface CompactionFilter {

  /**
   * Decides about an entry.
   *
   * @param level the level that the compaction writes to, from 1 to 6
   * @param key the key, valid during the call
   * @param value the value, valid during the call
   * @return the decision
   */
  Decision filter(int level, Slice key, Slice value);

  /**
   * Returns a filter that passes the keys with a prefix to this one and keeps all others. Under the
   * bytewise comparator, these are the keys of a {@link dev.kv.space.Space}.
   *
   * @param prefix the first bytes of the keys; copied
   * @return the filter
   */
  default CompactionFilter forPrefix(byte[] prefix) {
    Slice first = Slice.of(Objects.requireNonNull(prefix, "prefix").clone());
    return (level, key, value) -> key.startsWith(first) ? filter(level, key, value) : Decision.KEEP;
  }

  /** What happens to an entry. Immutable. */
  final class Decision {
    /** The entry stays as it is. */
    public static final Decision KEEP = new Decision(null);

    /** The key does not exist from now on. */
    public static final Decision DROP = new Decision(null);

    private final byte @Nullable [] value;

    private Decision(byte @Nullable [] value) {
      this.value = value;
    }

    /**
     * Returns the decision that the key has another value from now on.
     *
     * @param value the value; not copied, must not be changed any more
     * @return the decision
     */
    public static Decision replace(byte[] value) {
      return new Decision(Objects.requireNonNull(value, "value"));
    }

    /**
     * Returns the value that replaces that of the entry.
     *
     * @return the value, not a copy; null if this is no replacement
     */
    public byte @Nullable [] replacement() {
      return value;
    }

    @Override
    public String toString() {
      return this == KEEP
          ? "Decision[keep]"
          : this == DROP ? "Decision[drop]" : "Decision[replace]";
    }
  }
}

package dev.kv.tools.verify;

import dev.kv.FilterPolicy;
import dev.kv.bytes.Escape;
import dev.kv.core.inspect.StoredKey;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.console.Cancellation;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The check of one table: every checksum, the order of keys within and across blocks, the index
 * against the blocks, that every key passes the table's own filter, and that the properties match
 * the entries.
 */
final class TableCheck {
  private static final String FILTER_PREFIX = "filter.";

  /** If a table is out of order, every entry of it can be a finding. */
  private static final int MAX_FINDINGS = 20;

  private final String name;
  private final @Nullable Comparator<byte[]> order;
  private final boolean userKeys;
  private final Finding.Sink findings;
  private final EntryVisitor visitor;
  private TableContents.@Nullable Filter filter;
  private TableContents.@Nullable Properties properties;
  private byte @Nullable [] last;
  private byte @Nullable [] separator;
  private int damages;

  private byte @Nullable [] smallest;
  private byte @Nullable [] largest;
  private long largestSequence;
  private long leastSequence = StoredKey.MAX_SEQUENCE;
  private int blocks;
  private long entries;
  private long tombstones;
  private long rawBytes;
  private long storedBytes;
  private final Map<String, Long> compressions = new TreeMap<>();
  private boolean filtered;

  /**
   * Creates the check of one table.
   *
   * @param name the name that findings give to the file
   * @param order the order that keys must have; null if it is unknown
   * @param userKeys true if the keys have no sequence numbers, as in a stand-alone table
   */
  TableCheck(
      String name,
      @Nullable Comparator<byte[]> order,
      boolean userKeys,
      Finding.Sink findings,
      EntryVisitor visitor) {
    this.name = name;
    this.order = order;
    this.userKeys = userKeys;
    this.findings = findings;
    this.visitor = visitor;
  }

  /** Checks the file. */
  void run(Env env, Path file) throws IOException {
    try (TableContents table = new TableContents(env, file)) {
      TableContents.Roots footer = table.footer();
      loadMetaBlocks(table, footer.metaindex());
      for (TableContents.Named entry : table.readHandles(footer.index())) {
        checkBlock(table, entry);
      }
      checkProperties(footer.metaindex());
    } catch (CorruptionException e) {
      found(Finding.damage(name, e));
    } catch (UnsupportedFormatException e) {
      found(Finding.unsupported(name, CorruptionException.NO_OFFSET, e));
    }
  }

  private void loadMetaBlocks(TableContents table, TableContents.Handle metaindex) {
    try {
      for (TableContents.Named entry : table.readHandles(metaindex)) {
        String key = new String(entry.key(), StandardCharsets.UTF_8);
        if (key.equals(TableContents.PROPERTIES_KEY)) {
          loadProperties(table, entry.handle());
        }
        if (!key.startsWith(FILTER_PREFIX)) {
          continue;
        }
        table.read(entry.handle(), false);
        filtered = true;
        FilterPolicy policy = FilterPolicy.bloom(10);
        if (key.equals(FILTER_PREFIX + policy.name())) {
          filter = table.filter(policy);
        } else {
          findings.found(
              Finding.note(
                  name,
                  entry.handle().offset(),
                  "the keys were not checked against the filter of an unknown policy, "
                      + Escape.text(key.substring(FILTER_PREFIX.length()))));
        }
      }
    } catch (CorruptionException e) {
      found(Finding.damage(name, e));
    }
  }

  private void loadProperties(TableContents table, TableContents.Handle handle) {
    try {
      table.read(handle, false);
      properties = table.properties();
      if (properties == null) {
        damage(handle.offset(), "the block " + TableContents.PROPERTIES_KEY + " is malformed");
      }
    } catch (CorruptionException e) {
      found(Finding.damage(name, e));
    }
  }

  /** Compares the properties with the entries, if all of these were read. */
  private void checkProperties(TableContents.Handle metaindex) {
    TableContents.Properties stated = properties;
    if (stated == null || damages > 0) {
      return;
    }
    if (stated.entries() != entries
        || stated.tombstones() != tombstones
        || stated.leastSequence() != leastSequence
        || stated.greatestSequence() != largestSequence) {
      damage(
          metaindex.offset(),
          "its properties do not match its entries: "
              + stated
              + ", but it has "
              + entries
              + " entries, "
              + tombstones
              + " of them tombstones, with sequence numbers from "
              + leastSequence
              + " to "
              + largestSequence);
    }
  }

  private void checkBlock(TableContents table, TableContents.Named block) {
    Cancellation.check();
    long offset = block.handle().offset();
    blocks++;
    try {
      TableContents.Block contents = table.read(block.handle(), true);
      rawBytes += contents.length();
      compressions.merge(Verifier.compression(contents.compression()), 1L, Long::sum);
      storedBytes += block.handle().size();
      table.forEachEntry((key, value) -> checkEntry(offset, key, value));
      checkSeparator(offset, block.key());
    } catch (CorruptionException e) {
      found(Finding.damage(name, e));
    }
  }

  private void checkSeparator(long offset, byte[] key) {
    byte[] end = last;
    if (!isWellFormed(key)) {
      damage(offset, "its key in the index has no sequence number and type: " + Escape.bytes(key));
      separator = null;
      return;
    }
    if (order != null && end != null && order.compare(end, key) > 0) {
      damage(offset, "its key in the index is smaller than the block's last key");
    }
    separator = key;
  }

  private void checkEntry(long offset, byte[] key, byte[] value) {
    if (!isWellFormed(key)) {
      damage(offset, "a key without sequence number and type: " + Escape.bytes(key));
      return;
    }
    if (order != null) {
      checkOrder(order, offset, key);
    }
    byte[] userKey = userKeys ? key : StoredKey.userKey(key);
    if (filter != null && !filter.mayContain(offset, userKey)) {
      damage(offset, "the filter does not match the key " + Escape.bytes(userKey));
    }
    smallest = smallest == null ? key : smallest;
    largest = key;
    last = key;
    entries++;
    if (!userKeys) {
      countVersion(key);
    }
    visitor.entry(key, value);
  }

  private void countVersion(byte[] key) {
    long sequence = StoredKey.sequence(key);
    largestSequence = Math.max(largestSequence, sequence);
    leastSequence = Math.min(leastSequence, sequence);
    if (StoredKey.isTombstone(key)) {
      tombstones++;
    }
  }

  private boolean isWellFormed(byte[] key) {
    return userKeys || StoredKey.isWellFormed(key);
  }

  private String describe(byte[] key) {
    return userKeys ? Escape.bytes(key) : StoredKey.describe(key);
  }

  private void checkOrder(Comparator<byte[]> keys, long offset, byte[] key) {
    byte[] before = last;
    byte[] index = separator;
    if (before != null && keys.compare(before, key) >= 0) {
      damage(offset, "out of order: " + describe(key) + " follows " + describe(before));
    } else if (index != null && keys.compare(index, key) >= 0) {
      damage(offset, "the index hides the key " + describe(key));
    }
  }

  private void damage(long offset, String text) {
    found(Finding.damage(name, offset, text));
  }

  private void found(Finding finding) {
    damages++;
    if (damages <= MAX_FINDINGS) {
      findings.found(finding);
    } else if (damages == MAX_FINDINGS + 1) {
      findings.found(
          Finding.damage(name, CorruptionException.NO_OFFSET, "more damage that is not listed"));
    }
  }

  /** Returns the number of findings of damage. */
  int damages() {
    return damages;
  }

  /** Returns the first internal key read, or null if there was none. */
  byte @Nullable [] smallest() {
    return smallest;
  }

  /** Returns the last internal key read, or null if there was none. */
  byte @Nullable [] largest() {
    return largest;
  }

  /** Returns the largest sequence number read. */
  long largestSequence() {
    return largestSequence;
  }

  /** Returns the number of data blocks. */
  int blocks() {
    return blocks;
  }

  /** Returns the number of entries read. */
  long entries() {
    return entries;
  }

  /** Returns how many of the entries are tombstones. */
  long tombstones() {
    return tombstones;
  }

  /** Returns the uncompressed size of the data blocks in bytes. */
  long rawBytes() {
    return rawBytes;
  }

  /** Returns the stored size of the data blocks in bytes. */
  long storedBytes() {
    return storedBytes;
  }

  /** Returns how many of the data blocks have each compression, by its name. */
  Map<String, Long> compressions() {
    return compressions;
  }

  /** Returns true if the table has a filter. */
  boolean filtered() {
    return filtered;
  }
}

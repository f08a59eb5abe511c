package dev.kv.tools.dump;

import dev.kv.core.inspect.StoredKey;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.verify.Verifier;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Dumps one table: footer, metaindex, filter, index, and each block with its entries. */
final class TableDump {
  private static final String FILTER_PREFIX = "filter.";

  private final Env env;
  private final Path file;
  private final boolean userKeys;
  private final Parts parts;
  private long blocks;
  private long entries;
  private long tombstones;
  private long malformed;

  /** The offset of the first block with a malformed key, or -1. */
  private long malformedAt = -1;

  /** The offset of the block whose entries are passed. */
  private long blockAt;

  private long rawBytes;
  private long storedBytes;

  /**
   * Creates a dump.
   *
   * @param userKeys true for a stand-alone table, whose keys have no sequence number and type
   */
  TableDump(Env env, Path file, boolean userKeys, Parts parts) {
    this.env = env;
    this.file = file;
    this.userKeys = userKeys;
    this.parts = parts;
  }

  /** Dumps the table. */
  void table() throws IOException {
    try (TableContents table = new TableContents(env, file)) {
      TableContents.Roots footer = footer(table);
      if (footer == null) {
        search(table, true, table.size() - TableContents.FOOTER_BYTES);
      } else {
        metaindex(table, footer.metaindex());
        data(table, footer.index());
      }
      properties();
    } catch (UnsupportedFormatException e) {
      parts.damage(0, String.valueOf(e.getMessage()));
    }
  }

  /** Returns the number of keys that have no sequence number and type, but should. */
  long malformed() {
    return malformed;
  }

  /** Returns the offset of the first block with such a key, or -1. */
  long malformedAt() {
    return malformedAt;
  }

  private TableContents.@Nullable Roots footer(TableContents table) {
    try {
      TableContents.Roots footer = table.footer();
      parts.part(
          0,
          "footer",
          "offset",
          table.size() - TableContents.FOOTER_BYTES,
          "metaindexOffset",
          footer.metaindex().offset(),
          "metaindexBytes",
          footer.metaindex().size(),
          "indexOffset",
          footer.index().offset(),
          "indexBytes",
          footer.index().size(),
          "magic",
          Long.toHexString(TableContents.MAGIC));
      return footer;
    } catch (CorruptionException e) {
      parts.damage(e);
      return null;
    }
  }

  private void metaindex(TableContents table, TableContents.Handle handle) {
    try {
      block(0, "metaindex", table.read(handle, true));
      table.readHandles(handle).forEach(entry -> meta(table, entry));
    } catch (CorruptionException e) {
      parts.damage(e);
    }
  }

  private void meta(TableContents table, TableContents.Named entry) {
    String name = new String(entry.key(), StandardCharsets.UTF_8);
    try {
      TableContents.Block block = table.read(entry.handle(), false);
      if (name.startsWith(FILTER_PREFIX)) {
        block(0, "filter", block, "policy", name.substring(FILTER_PREFIX.length()));
        filter(table.content());
      } else {
        block(0, "meta", block, "name", name);
        if (name.equals(TableContents.PROPERTIES_KEY)) {
          stored(entry.handle(), table.properties());
        }
      }
    } catch (CorruptionException e) {
      parts.damage(e);
    }
  }

  private void stored(TableContents.Handle handle, TableContents.@Nullable Properties found) {
    if (found == null) {
      parts.damage(handle.offset(), "the block " + TableContents.PROPERTIES_KEY + " is malformed");
      return;
    }
    parts.part(
        1,
        "stored-properties",
        "entries",
        found.entries(),
        "tombstones",
        found.tombstones(),
        "leastSequence",
        found.leastSequence(),
        "greatestSequence",
        found.greatestSequence(),
        "writtenAt",
        found.writtenAt(),
        "comparator",
        found.comparator());
  }

  private void filter(byte[] content) {
    ByteBuffer bytes = ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN);
    int last = content.length - 1 - Integer.BYTES;
    int offsets = last < 0 ? -1 : bytes.getInt(last);
    if (offsets < 0 || offsets > last) {
      return;
    }
    parts.part(
        1,
        "filters",
        "count",
        (last - offsets) / Integer.BYTES,
        "baseLog",
        content[content.length - 1] & 0xff,
        "bytes",
        offsets);
  }

  private void data(TableContents table, TableContents.Handle index) {
    List<TableContents.Named> handles;
    try {
      block(0, "index", table.read(index, true));
      handles = table.readHandles(index);
    } catch (CorruptionException e) {
      parts.damage(e);
      search(table, false, index.offset());
      return;
    }
    for (TableContents.Named entry : handles) {
      dataBlock(
          table, entry.handle(), "until", userKeys ? entry.key() : RecordDump.userKey(entry.key()));
    }
  }

  private void dataBlock(TableContents table, TableContents.Handle handle, Object... more) {
    try {
      TableContents.Block block = table.read(handle, true);
      blocks++;
      rawBytes += block.length();
      storedBytes += block.handle().size();
      block(0, "block", block, more);
      blockAt = handle.offset();
      table.forEachEntry(this::entry);
    } catch (CorruptionException e) {
      parts.damage(e);
    } catch (UnsupportedFormatException e) {
      parts.damage(handle.offset(), String.valueOf(e.getMessage()));
    }
  }

  /**
   * Dumps the blocks that are found without the index.
   *
   * @param all true to dump blocks that are not data blocks too
   * @param until the offset up to which the bytes between blocks are reported as damage
   */
  private void search(TableContents table, boolean all, long until) {
    List<TableContents.Found> found = table.findBlocks();
    parts.part(0, "search", "blocks", found.size());
    long end = 0;
    for (TableContents.Found block : found) {
      TableContents.Handle handle = block.handle();
      gap(end, Math.min(handle.offset(), until));
      end = block.end();
      if (block.role() == TableContents.Role.DATA) {
        dataBlock(table, handle);
      } else if (all) {
        String type = block.role().name().toLowerCase(Locale.ROOT);
        try {
          block(0, type, table.read(handle, block.role() != TableContents.Role.META));
        } catch (CorruptionException e) {
          parts.damage(e);
        }
      }
    }
    gap(end, until);
  }

  private void gap(long from, long to) {
    if (from < to) {
      parts.damage(from, "no block with a correct checksum", "bytes", to - from);
    }
  }

  private void entry(byte[] key, byte[] value) {
    entries++;
    if (userKeys) {
      parts.part(1, "entry", "key", key, "value", value);
      return;
    }
    if (!StoredKey.isWellFormed(key)) {
      malformed++;
      malformedAt = malformedAt < 0 ? blockAt : malformedAt;
      parts.part(1, "malformed", "key", key, "value", value);
      return;
    }
    byte[] userKey = StoredKey.userKey(key);
    long sequence = StoredKey.sequence(key);
    if (!StoredKey.isTombstone(key)) {
      parts.part(1, "put", "sequence", sequence, "key", userKey, "value", value);
    } else {
      tombstones++;
      parts.part(1, "delete", "sequence", sequence, "key", userKey);
    }
  }

  private void properties() {
    parts.part(
        0,
        "properties",
        "blocks",
        blocks,
        "entries",
        entries,
        "tombstones",
        tombstones,
        "rawBytes",
        rawBytes,
        "storedBytes",
        storedBytes);
  }

  private void block(int depth, String type, TableContents.Block block, Object... more) {
    Object[] own = {
      "offset",
      block.handle().offset(),
      "bytes",
      block.length(),
      "storedBytes",
      block.handle().size(),
      "compression",
      Verifier.compression(block.compression()),
      "checksum",
      String.format(Locale.ROOT, "%08x", block.checksum()),
    };
    Object[] restarts =
        block.restarts() < 0 ? new Object[0] : new Object[] {"restarts", block.restarts()};
    Object[] members = Stream.of(own, restarts, more).flatMap(Arrays::stream).toArray();
    parts.part(depth, type, members);
  }
}

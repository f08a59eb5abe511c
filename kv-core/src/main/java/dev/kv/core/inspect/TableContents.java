package dev.kv.core.inspect;

import dev.kv.FilterPolicy;
import dev.kv.core.table.filter.FilterBlockReader;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.Footer;
import dev.kv.core.table.format.TableProperties;
import dev.kv.core.table.inspect.TableInspector;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.List;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a table, each on its own, so that the others stay readable if one is damaged.
 * Does not check the order of keys. Throws {@link dev.kv.errors.CorruptionException} for damage.
 * For one thread.
 */
public final class TableContents implements AutoCloseable {
  /** The bytes of a footer. */
  public static final int FOOTER_BYTES = Footer.SIZE;

  /** The magic number at the end of a table. */
  public static final long MAGIC = Footer.MAGIC;

  /** The key of the properties in the metaindex. */
  public static final String PROPERTIES_KEY = TableProperties.KEY;

  private final TableInspector table;

  /** The place of a block in its file, without its trailer. */
  public record Handle(long offset, long size) {
    static Handle of(BlockHandle handle) {
      return new Handle(handle.offset(), handle.size());
    }

    BlockHandle stored() {
      return new BlockHandle(offset, size);
    }
  }

  /** The two blocks that the footer names. */
  public record Roots(Handle metaindex, Handle index) {}

  /** An entry of the index or the metaindex: a key and the block that it names. */
  public record Named(byte[] key, Handle handle) {}

  /**
   * A block as it is stored.
   *
   * @param handle its place in the file
   * @param compression the code of its compression
   * @param checksum its CRC32C, unmasked
   * @param length its length after decompression
   * @param restarts its number of restart points; -1 for a filter
   */
  public record Block(Handle handle, int compression, int checksum, int length, int restarts) {}

  /** The role of a block in a table. */
  public enum Role {
    DATA,
    INDEX,
    METAINDEX,
    /** Named by the metaindex (filter, properties), or not made of entries. */
    META
  }

  /** A block that was found by its checksum, and the offset after its trailer. */
  public record Found(Handle handle, Role role, long end) {}

  /** What a table says about its entries; the code of the compression is -1 if unknown. */
  public record Properties(
      long leastSequence,
      long greatestSequence,
      long entries,
      long tombstones,
      long writtenAt,
      String comparator,
      int compression) {}

  /** The filter of a table. */
  @FunctionalInterface
  public interface Filter {
    /** Returns false only if the user key is not in the block at {@code offset}. */
    boolean mayContain(long offset, byte[] userKey);
  }

  /** Opens a table, and reads nothing yet. */
  public TableContents(Env env, Path file) throws IOException {
    table = new TableInspector(env, file);
  }

  /** Returns the file's size. */
  public long size() {
    return table.size();
  }

  /** Reads the footer. */
  public Roots footer() {
    Footer footer = table.footer();
    return new Roots(Handle.of(footer.metaindex()), Handle.of(footer.index()));
  }

  /** Reads an index or metaindex block, and returns its entries in their order. */
  public List<Named> readHandles(Handle block) {
    return table.readHandles(block.stored()).stream()
        .map(entry -> new Named(entry.key(), Handle.of(entry.handle())))
        .toList();
  }

  /**
   * Reads a block, verifies its checksum and decompresses it. It is the current block until the
   * next read.
   *
   * @param hasEntries true if it consists of entries, as all blocks except filters do
   */
  public Block read(Handle block, boolean hasEntries) {
    TableInspector.Block read = table.read(block.stored(), hasEntries);
    return new Block(block, read.compression(), read.checksum(), read.length(), read.restarts());
  }

  /** Passes the entries of the current block to {@code action}, up to the first damaged one. */
  public void forEachEntry(BiConsumer<byte[], byte[]> action) {
    table.forEachEntry(action);
  }

  /** Returns a copy of the decompressed content of the current block. */
  public byte[] content() {
    return table.content();
  }

  /** Finds blocks by their checksums, without footer and index, in the order of the file. */
  public List<Found> findBlocks() {
    return table.findBlocks().stream()
        .map(
            found ->
                new Found(
                    Handle.of(found.handle()), Role.valueOf(found.role().name()), found.end()))
        .toList();
  }

  /** Returns the current block as properties, or null if it is malformed. */
  public @Nullable Properties properties() {
    byte[] content = table.content();
    TableProperties found =
        TableProperties.decode(
            ByteBuffer.wrap(content).order(ByteOrder.LITTLE_ENDIAN), content.length);
    return found == null
        ? null
        : new Properties(
            found.leastSequence(),
            found.greatestSequence(),
            found.entries(),
            found.tombstones(),
            found.writtenAt(),
            found.comparator(),
            found.compression());
  }

  /** Returns the current block as the filter of a policy. */
  public Filter filter(FilterPolicy policy) {
    byte[] content = table.content();
    ByteBuffer copy = ByteBuffer.allocateDirect(content.length);
    copy.order(ByteOrder.LITTLE_ENDIAN).put(0, content);
    FilterBlockReader filter = new FilterBlockReader(policy, copy, content.length);
    return (offset, key) ->
        filter.mayContain(
            offset, ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN), 0, key.length);
  }

  @Override
  public void close() {
    table.close();
  }
}

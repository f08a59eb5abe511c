package dev.kv.core.inspect;

import dev.kv.FilterPolicy;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Escape;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.table.cache.BlockReader;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.table.cache.UncachedBlock;
import dev.kv.core.table.filter.FilterBlockReader;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.core.table.format.Footer;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableProperties;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Reads the parts of a table file, footer, index and blocks, each on its own, so that the others
 * stay readable if one is damaged. Does not check the order of keys, and needs no comparator.
 * Throws {@link CorruptionException} for damage. For one thread.
 */
public final class TableContents implements AutoCloseable {
  /** The bytes of a footer. */
  public static final int FOOTER_BYTES = Footer.SIZE;

  /** The magic number at the end of a table. */
  public static final long MAGIC = Footer.MAGIC;

  /** The key of the properties in the metaindex. */
  public static final String PROPERTIES_KEY = TableProperties.KEY;

  private static final EngineLogger LOG = EngineLogger.of(TableContents.class);

  private final TableFile file;
  private final BlockAllocator allocator;
  private final OffHeapBuffer scratch;
  private final BlockReader reader;
  private final BlockIterator entries;
  private final ByteBuffer small = ByteBuffer.allocateDirect(Footer.SIZE);
  private @Nullable UncachedBlock block;

  /** The place of a block in its file, without its trailer. */
  public record Handle(long offset, long size) {
    static Handle of(BlockHandle handle) {
      return new Handle(handle.offset(), handle.size());
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
  public record Found(Handle handle, Role role, long end) {
    static Found of(Handle handle, Role role) {
      return new Found(handle, role, handle.offset() + handle.size() + BlockWriter.TRAILER);
    }
  }

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

  /** Opens {@code path}, and reads nothing yet. */
  public TableContents(Env env, Path path) throws IOException {
    file = TableFile.open(env, path, new MappingQuota(0));
    OffHeapBudget budget = new OffHeapBudget(0);
    allocator = new BlockAllocator(budget);
    scratch = new OffHeapBuffer(budget, BlockIterator.SCRATCH_BYTES);
    reader = new BlockReader(allocator, new OffHeapBuffer(budget, 8 << 10), false);
    entries = new BlockIterator(new UserKeyComparator(DBComparator.bytewise()), scratch);
    small.order(ByteOrder.LITTLE_ENDIAN);
  }

  /** Returns the file's size. */
  public long size() {
    return file.size();
  }

  /** Reads the footer. */
  public Roots footer() {
    Footer footer = file.readFooter(small);
    return new Roots(Handle.of(footer.metaindex()), Handle.of(footer.index()));
  }

  /** Reads an index or metaindex block, and returns its entries in their order. */
  public List<Named> readHandles(Handle handle) {
    List<Named> found = new ArrayList<>();
    read(handle, true);
    forEachEntry(
        (key, value) -> {
          BlockHandle named = decodeHandle(value);
          if (named == null) {
            throw new CorruptionException("bad block handle", file.name(), handle.offset());
          }
          file.requireInside(named.offset(), named.size(), handle.offset());
          found.add(new Named(key, Handle.of(named)));
        });
    return found;
  }

  /** Reads an index or metaindex block, and returns the blocks that it names in their order. */
  public List<Handle> readNamed(Handle handle) {
    return readHandles(handle).stream().map(Named::handle).toList();
  }

  /**
   * Finds blocks by their checksums, without footer and index, and returns them in the order of the
   * file. Skips what the disk cannot read.
   */
  public List<Found> findBlocks() {
    return findBlocks(
        e ->
            LOG.warn(
                "{}: the disk cannot read a part of the file; reading it in pieces of 4 KiB",
                Escape.text(file.name()),
                e));
  }

  /**
   * Finds blocks by their checksums.
   *
   * @param readError receives the first read error; if it returns, what cannot be read is skipped
   */
  public List<Found> findBlocks(Consumer<DBIOException> readError) {
    BlockScanner search = new BlockScanner(file, this::hasEntries, readError);
    NavigableMap<Long, Found> found = new TreeMap<>();
    Handle next = search.next(0);
    while (next != null) {
      Found block = Found.of(next, role(next, found));
      found.put(next.offset(), block);
      next = search.next(block.end());
    }
    return new ArrayList<>(found.values());
  }

  private boolean hasEntries(Handle handle) {
    try {
      read(handle, true);
      forEachEntry((key, value) -> {});
      return true;
    } catch (CorruptionException | UnsupportedFormatException e) {
      return false;
    }
  }

  /**
   * Returns the role of a block, judged by its entries and by the blocks before it. If it is a
   * metaindex, the blocks that it names get the role {@link Role#META}.
   */
  private Role role(Handle handle, NavigableMap<Long, Found> before) {
    if (!hasEntries(handle)) {
      return Role.META;
    }
    List<Handle> named = new ArrayList<>();
    boolean[] isData = new boolean[1];
    boolean[] isIndex = new boolean[1];
    forEachEntry(
        (key, value) -> {
          BlockHandle decoded = isData[0] ? null : decodeHandle(value);
          if (decoded == null || decoded.encodedLength() != value.length) {
            isData[0] = true;
          } else {
            isIndex[0] |= !isOfMetaindex(key);
            named.add(Handle.of(decoded));
          }
        });
    if (isData[0]) {
      return Role.DATA;
    }
    if (isIndex[0]) {
      return isIndex(handle, named, before) ? Role.INDEX : Role.DATA;
    }
    for (Handle meta : named) {
      if (isWhole(meta, handle) && !isInside(meta, before)) {
        before.put(meta.offset(), Found.of(meta, Role.META));
      }
    }
    return Role.METAINDEX;
  }

  /** Returns true if a block that a metaindex names is before it and has its checksum. */
  private boolean isWhole(Handle meta, Handle metaindex) {
    if (meta.offset() < 0 || meta.offset() >= metaindex.offset()) {
      return false;
    }
    try {
      read(meta);
      return true;
    } catch (CorruptionException | UnsupportedFormatException | DBIOException e) {
      return false;
    }
  }

  private static boolean isInside(Handle block, NavigableMap<Long, Found> found) {
    Map.Entry<Long, Found> before = found.lowerEntry(block.offset());
    return before != null && before.getValue().end() > block.offset();
  }

  /** Returns true if a key names a filter or the properties and is not an internal key. */
  private static boolean isOfMetaindex(byte[] key) {
    String name = new String(key, StandardCharsets.UTF_8);
    return (name.startsWith(TableBuilder.FILTER_PREFIX) || name.equals(TableProperties.KEY))
        && !InternalKey.isWellFormed(key);
  }

  /**
   * Returns true if the blocks named follow each other from the beginning of the file on, and end
   * before the block that names them. A single block counts only if no other block was found.
   */
  private static boolean isIndex(
      Handle handle, List<Handle> named, NavigableMap<Long, Found> before) {
    long end = 0;
    for (Handle block : named) {
      if (block.offset() != end || block.size() < 0 || block.size() > handle.offset()) {
        return false;
      }
      end += block.size() + BlockWriter.TRAILER;
    }
    return end <= handle.offset() && (named.size() > 1 || agree(named, before.values()));
  }

  /**
   * Returns true if every block that was found before the end of those that an index names is one
   * of them.
   */
  public static boolean agree(List<Handle> named, Collection<Found> found) {
    if (named.isEmpty()) {
      return false;
    }
    Handle last = named.get(named.size() - 1);
    Set<Handle> all = new HashSet<>(named);
    return found.stream()
        .map(Found::handle)
        .allMatch(block -> block.offset() > last.offset() + last.size() || all.contains(block));
  }

  private static @Nullable BlockHandle decodeHandle(byte[] value) {
    return BlockHandle.decode(
        ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN), 0, value.length);
  }

  /**
   * Reads a block, verifies its checksum and decompresses it. It is the current block until the
   * next read. Returns its content, a view that is valid as long.
   */
  public ByteBuffer read(Handle handle) {
    freeBlock();
    file.requireInside(handle.offset(), handle.size(), handle.offset());
    UncachedBlock read =
        reader.read(file, handle.offset(), (int) handle.size(), true, MemoryKind.BLOCK);
    block = read;
    return read.bytes().slice(0, read.length()).order(ByteOrder.LITTLE_ENDIAN);
  }

  /**
   * Reads a block as {@link #read(Handle)} does, and returns what is stored about it.
   *
   * @param hasEntries true if it consists of entries, as all blocks except filters do
   */
  public Block read(Handle handle, boolean hasEntries) {
    ByteBuffer bytes = read(handle);
    file.read(handle.offset() + handle.size(), small, BlockWriter.TRAILER);
    int restarts = -1;
    if (hasEntries) {
      entries.reset(bytes, bytes.limit(), file.name(), handle.offset());
      restarts = bytes.getInt(bytes.limit() - Integer.BYTES);
    }
    return new Block(
        handle, small.get(0) & 0xff, MaskedCrc32c.unmask(small.getInt(1)), bytes.limit(), restarts);
  }

  /** Passes the entries of the current block to {@code action}, up to the first damaged one. */
  public void forEachEntry(BiConsumer<byte[], byte[]> action) {
    for (entries.seekToFirst(); entries.isValid(); entries.next()) {
      action.accept(entries.copyKey(), entries.copyValue());
    }
  }

  /** Returns a copy of the decompressed content of the current block. */
  public byte[] content() {
    UncachedBlock present = block;
    if (present == null) {
      throw new IllegalStateException("no block has been read");
    }
    return InternalKey.copy(present.bytes(), 0, present.length());
  }

  private void freeBlock() {
    UncachedBlock old = block;
    if (old != null) {
      block = null;
      old.close();
    }
  }

  /** Returns the current block as properties, or null if it is malformed. */
  public @Nullable Properties properties() {
    byte[] content = content();
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
    byte[] content = content();
    ByteBuffer copy = ByteBuffer.allocateDirect(content.length);
    copy.order(ByteOrder.LITTLE_ENDIAN).put(0, content);
    FilterBlockReader filter = new FilterBlockReader(policy, copy, content.length);
    return (offset, key) ->
        filter.mayContain(
            offset, ByteBuffer.wrap(key).order(ByteOrder.LITTLE_ENDIAN), 0, key.length);
  }

  @Override
  public void close() {
    freeBlock();
    reader.close();
    scratch.close();
    allocator.close();
    file.close();
  }
}

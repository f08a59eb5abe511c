package dev.kv.core.table.inspect;

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
 * Reads the parts of a table file for tools: footer, index and blocks, each on its own, so that the
 * others stay readable if one is damaged. Does not check the order of keys, and needs no
 * comparator. Throws {@link CorruptionException} for damage. For one thread.
 */
public final class TableInspector implements AutoCloseable {
  private static final EngineLogger LOG = EngineLogger.of(TableInspector.class);

  private final TableFile file;
  private final BlockAllocator allocator;
  private final OffHeapBuffer scratch;
  private final BlockReader reader;
  private final BlockIterator entries;
  private final ByteBuffer small = ByteBuffer.allocateDirect(Footer.SIZE);
  private @Nullable UncachedBlock block;

  /**
   * A block as it is stored.
   *
   * @param handle its place in the file, without its trailer
   * @param compression the code of its compression
   * @param checksum its CRC32C, unmasked
   * @param length its length after decompression
   * @param restarts its number of restart points; -1 for a filter
   */
  public record Block(
      BlockHandle handle, int compression, int checksum, int length, int restarts) {}

  /**
   * An entry of the index or the metaindex.
   *
   * @param key its key
   * @param handle the block it names
   */
  public record BlockEntry(byte[] key, BlockHandle handle) {}

  /** The role of a block in a table. */
  public enum Role {
    DATA,
    INDEX,
    METAINDEX,
    /** Named by the metaindex (filter, properties), or not made of entries. */
    META
  }

  /**
   * A block that was found by its checksum.
   *
   * @param handle its place in the file
   * @param role its role, as far as its content shows it
   */
  public record FoundBlock(BlockHandle handle, Role role) {
    /** Returns the offset after the trailer of the block. */
    public long end() {
      return handle.offset() + handle.size() + BlockWriter.TRAILER;
    }
  }

  /** Opens {@code path}, and reads nothing yet. */
  public TableInspector(Env env, Path path) throws IOException {
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
  public Footer footer() {
    return file.readFooter(small);
  }

  /** Reads an index or metaindex block, and returns its entries in their order. */
  public List<BlockEntry> readHandles(BlockHandle handle) {
    List<BlockEntry> found = new ArrayList<>();
    read(handle, true);
    forEachEntry(
        (key, value) -> {
          BlockHandle named = decodeHandle(value);
          if (named == null) {
            throw new CorruptionException("bad block handle", file.name(), handle.offset());
          }
          file.requireInside(named.offset(), named.size(), handle.offset());
          found.add(new BlockEntry(key, named));
        });
    return found;
  }

  /** Reads an index or metaindex block, and returns the blocks that it names in their order. */
  public List<BlockHandle> readNamed(BlockHandle handle) {
    return readHandles(handle).stream().map(BlockEntry::handle).toList();
  }

  /**
   * Finds blocks by their checksums, without footer and index, and returns them in the order of the
   * file. Skips what the disk cannot read.
   */
  public List<FoundBlock> findBlocks() {
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
  public List<FoundBlock> findBlocks(Consumer<DBIOException> readError) {
    BlockScanner search = new BlockScanner(file, this::hasEntries, readError);
    NavigableMap<Long, FoundBlock> found = new TreeMap<>();
    BlockHandle next = search.next(0);
    while (next != null) {
      FoundBlock block = new FoundBlock(next, role(next, found));
      found.put(next.offset(), block);
      next = search.next(block.end());
    }
    return new ArrayList<>(found.values());
  }

  private boolean hasEntries(BlockHandle handle) {
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
  private Role role(BlockHandle handle, NavigableMap<Long, FoundBlock> before) {
    if (!hasEntries(handle)) {
      return Role.META;
    }
    List<BlockHandle> named = new ArrayList<>();
    boolean[] isData = new boolean[1];
    boolean[] isIndex = new boolean[1];
    forEachEntry(
        (key, value) -> {
          BlockHandle decoded = isData[0] ? null : decodeHandle(value);
          if (decoded == null || decoded.encodedLength() != value.length) {
            isData[0] = true;
          } else {
            isIndex[0] |= !isOfMetaindex(key);
            named.add(decoded);
          }
        });
    if (isData[0]) {
      return Role.DATA;
    }
    if (isIndex[0]) {
      return isIndex(handle, named, before) ? Role.INDEX : Role.DATA;
    }
    for (BlockHandle meta : named) {
      if (isWhole(meta, handle) && !isInside(meta, before)) {
        before.put(meta.offset(), new FoundBlock(meta, Role.META));
      }
    }
    return Role.METAINDEX;
  }

  /** Returns true if a block that a metaindex names is before it and has its checksum. */
  private boolean isWhole(BlockHandle meta, BlockHandle metaindex) {
    if (meta.offset() < 0 || meta.offset() >= metaindex.offset()) {
      return false;
    }
    try {
      read(meta, false);
      return true;
    } catch (CorruptionException | UnsupportedFormatException | DBIOException e) {
      return false;
    }
  }

  private static boolean isInside(BlockHandle block, NavigableMap<Long, FoundBlock> found) {
    Map.Entry<Long, FoundBlock> before = found.lowerEntry(block.offset());
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
      BlockHandle handle, List<BlockHandle> named, NavigableMap<Long, FoundBlock> before) {
    long end = 0;
    for (BlockHandle block : named) {
      if (block.offset() != end || block.size() < 0 || block.size() > handle.offset()) {
        return false;
      }
      end += block.size() + BlockWriter.TRAILER;
    }
    return end <= handle.offset() && (named.size() > 1 || agree(named, before));
  }

  /**
   * Returns true if every block that was found before the end of those that an index names is one
   * of them.
   */
  public static boolean agree(List<BlockHandle> named, NavigableMap<Long, FoundBlock> found) {
    if (named.isEmpty()) {
      return false;
    }
    BlockHandle last = named.get(named.size() - 1);
    Set<BlockHandle> all = new HashSet<>(named);
    return found.headMap(last.offset() + last.size(), true).values().stream()
        .allMatch(block -> all.contains(block.handle()));
  }

  private static @Nullable BlockHandle decodeHandle(byte[] value) {
    return BlockHandle.decode(
        ByteBuffer.wrap(value).order(ByteOrder.LITTLE_ENDIAN), 0, value.length);
  }

  /**
   * Reads a block, verifies its checksum and decompresses it. It is the current block until the
   * next read.
   *
   * @param hasEntries true if it consists of entries, as all blocks except filters do
   */
  public Block read(BlockHandle handle, boolean hasEntries) {
    UncachedBlock read = load(handle);
    file.read(handle.offset() + handle.size(), small, BlockWriter.TRAILER);
    int restarts = -1;
    if (hasEntries) {
      entries.reset(read.bytes(), read.length(), file.name(), handle.offset());
      restarts = read.bytes().getInt(read.length() - Integer.BYTES);
    }
    return new Block(
        handle, small.get(0) & 0xff, MaskedCrc32c.unmask(small.getInt(1)), read.length(), restarts);
  }

  /** Passes the entries of the current block to {@code action}, up to the first damaged one. */
  public void forEachEntry(BiConsumer<byte[], byte[]> action) {
    for (entries.seekToFirst(); entries.isValid(); entries.next()) {
      action.accept(entries.copyKey(), entries.copyValue());
    }
  }

  /** Reads a block as {@link #read} does, and sets {@code cursor} before its entries. */
  public void read(BlockHandle handle, BlockIterator cursor) {
    UncachedBlock read = load(handle);
    cursor.reset(read.bytes(), read.length(), file.name(), handle.offset());
  }

  /** Returns a copy of the decompressed content of the current block. */
  public byte[] content() {
    UncachedBlock present = block;
    if (present == null) {
      throw new IllegalStateException("no block has been read");
    }
    return InternalKey.copy(present.bytes(), 0, present.length());
  }

  private UncachedBlock load(BlockHandle handle) {
    freeBlock();
    int size = file.checkedSize(handle, handle.offset());
    UncachedBlock read =
        reader.read(file, handle.offset(), size, true, allocator, MemoryKind.BLOCK);
    block = read;
    return read;
  }

  private void freeBlock() {
    UncachedBlock old = block;
    if (old != null) {
      block = null;
      old.close();
    }
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

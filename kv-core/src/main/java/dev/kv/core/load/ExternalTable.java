package dev.kv.core.load;

import dev.kv.bytes.Escape;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.inspect.TableContents.Properties;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Undo;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.table.Table;
import dev.kv.core.table.cache.BlockProvider;
import dev.kv.core.table.cache.MappingQuota;
import dev.kv.core.table.cache.ReadFlags;
import dev.kv.core.table.cache.TableFile;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.write.ErrorHandler;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * An open table that was written for an ingest. {@link #verify} or {@link #copyTo} reads it
 * completely: all checksums must be right, the keys must ascend, and every entry must be a value
 * with sequence number 0.
 */
final class ExternalTable implements AutoCloseable {
  private static final long TAG = InternalKey.pack(0, ValueKind.VALUE);
  private static final int KEY_BYTES = 256;
  private static final int ENTRIES_PER_CHECK = 4096;

  private final Path path;
  private final DatabaseContext context;
  private final InternalKeyComparator order;
  private final @Nullable Properties properties;
  private final BlockProvider blocks;
  private final Table table;

  /** The size and the ends; has no number, and no keys if the table is empty. */
  private FileMetadata metadata;

  private ExternalTable(
      Path path,
      DatabaseContext context,
      @Nullable Properties properties,
      BlockProvider blocks,
      Table table) {
    this.path = path;
    this.properties = properties;
    this.context = context;
    this.order = context.comparator();
    this.blocks = blocks;
    this.table = table;
    metadata = FileMetadata.ofUnknownKeys(0, table.fileSize());
  }

  /**
   * Opens the table in {@code path}, and reads its first and its last block.
   *
   * @throws IllegalArgumentException if it is not a table for an ingest
   * @throws UnsupportedFormatException if it has another comparator
   * @throws CorruptionException if it is damaged
   * @throws DBIOException if the file cannot be read
   */
  static ExternalTable open(Path path, DatabaseContext context) {
    try {
      Properties properties = readProperties(path, context);
      if (properties != null) {
        requireForIngest(path, properties, context);
      }
      return open(path, context, properties);
    } catch (IOException e) {
      throw new DBIOException("cannot open table " + Escape.text(path.toString()) + ": " + e, e);
    }
  }

  private static ExternalTable open(
      Path path, DatabaseContext context, @Nullable Properties properties) throws IOException {
    BlockProvider blocks = context.newBlocks();
    try (Undo undo = new Undo(blocks::close)) {
      TableFile file = TableFile.open(context.env(), path, new MappingQuota(0));
      long id = context.blockCache().newId();
      // With the filter, because the database will open it too.
      Table table =
          Table.open(file, id, context.comparator(), context.options().filterPolicy(), blocks);
      try (Undo undoTable = new Undo(table::free)) {
        ExternalTable opened = new ExternalTable(path, context, properties, blocks, table);
        opened.readEnds();
        undoTable.cancel();
        undo.cancel();
        return opened;
      }
    }
  }

  /**
   * Reads the properties before any key is read as an internal key; returns null if the table has
   * neither properties nor entries.
   */
  private static @Nullable Properties readProperties(Path path, DatabaseContext context)
      throws IOException {
    try (TableContents table = new TableContents(context.env(), path)) {
      for (TableContents.Named block : table.readHandles(table.footer().metaindex())) {
        if (new String(block.key(), StandardCharsets.UTF_8).equals(TableContents.PROPERTIES_KEY)) {
          table.read(block.handle(), false);
          Properties found = table.properties();
          if (found == null) {
            throw new CorruptionException(
                "the block " + TableContents.PROPERTIES_KEY + " is malformed",
                path.toString(),
                block.handle().offset());
          }
          return found;
        }
      }
      if (!table.readHandles(table.footer().index()).isEmpty()) {
        throw notForIngest(path);
      }
      return null;
    }
  }

  private static IllegalArgumentException notForIngest(Path path) {
    return new IllegalArgumentException(
        Escape.text(path.toString())
            + " was not written by TableWriter.forIngest: only such tables can be ingested");
  }

  private void readEnds() {
    try (InternalIterator entries = cursor()) {
      entries.seekToFirst();
      if (!entries.isValid()) {
        requireCount(0);
        return;
      }
      byte[] smallest = entries.copyKey();
      entries.seekToLast();
      metadata = new FileMetadata(0, metadata.size(), smallest, entries.copyKey());
    }
    if (!InternalKey.isWellFormed(metadata.smallest())
        || !InternalKey.isWellFormed(metadata.largest())) {
      throw new CorruptionException(
          "the table has a key without sequence number and type",
          path.toString(),
          CorruptionException.NO_OFFSET);
    }
  }

  private InternalIterator cursor() {
    return table.iterator(ReadFlags.of(true, false), () -> {});
  }

  private static void requireForIngest(Path path, Properties properties, DatabaseContext context) {
    if (properties.greatestSequence() > 0 || properties.tombstones() > 0) {
      throw notForIngest(path);
    }
    String name = context.comparator().userComparator().name();
    if (!properties.comparator().equals(name)) {
      throw new UnsupportedFormatException(
          "the table "
              + Escape.text(path.toString())
              + " has the comparator "
              + Escape.text(properties.comparator())
              + ", and the database has "
              + Escape.text(name));
    }
  }

  /** Returns the size, the first and the last key; no number, and no keys if it is empty. */
  FileMetadata metadata() {
    return metadata;
  }

  /**
   * Checks that the table is, as far as its size and its ends tell, the one that was opened before.
   *
   * @throws CorruptionException if it is not
   */
  void requireLike(FileMetadata before) {
    if (metadata.size() != before.size()
        || !Arrays.equals(metadata.smallest(), before.smallest())
        || !Arrays.equals(metadata.largest(), before.largest())) {
      throw new CorruptionException(
          "the table has other ends than before", path.toString(), CorruptionException.NO_OFFSET);
    }
  }

  /** Reads the whole table. */
  void verify(ErrorHandler errors) {
    read(errors, entry -> {});
  }

  /** Reads the whole table, and adds its entries to {@code writer}. */
  void copyTo(LoadWriter writer, ErrorHandler errors) {
    read(errors, writer::add);
  }

  private void read(ErrorHandler errors, Consumer<ForwardIterator> checked) {
    long count = 0;
    try (ForwardIterator entries = cursor();
        OffHeapBuffer lastKey = new OffHeapBuffer(context.budget(), KEY_BYTES)) {
      KeyBuffer last = new KeyBuffer(lastKey);
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        check(entries, last, count == 0);
        if (++count % ENTRIES_PER_CHECK == 0) {
          errors.checkNotClosing();
        }
        checked.accept(entries);
      }
    }
    requireCount(count);
  }

  private void requireCount(long count) {
    long written = properties == null ? 0 : properties.entries();
    if (count != written) {
      throw new CorruptionException(
          "the table has " + count + " entries and not the " + written + " written",
          path.toString(),
          CorruptionException.NO_OFFSET);
    }
  }

  private void check(ForwardIterator entry, KeyBuffer last, boolean first) {
    ByteBuffer key = entry.keyBuffer();
    int offset = entry.keyOffset();
    int userLength = entry.keyLength() - InternalKey.TRAILER;
    if (userLength < 0 || key.getLong(offset + userLength) != TAG) {
      throw damaged(entry, "that is no value with sequence number 0");
    }
    if (!first && last.compareTo(key, offset, userLength, order.userComparator()) >= 0) {
      throw damaged(entry, "that is not after the one before");
    }
    last.setKey(key, offset, userLength);
  }

  private CorruptionException damaged(ForwardIterator entry, String how) {
    return entry.corruption(
        "the table has a key " + how + ": " + InternalKey.describe(entry.copyKey()),
        path.toString());
  }

  @Override
  public void close() {
    table.free();
    blocks.close();
  }
}

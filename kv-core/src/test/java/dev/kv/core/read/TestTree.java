package dev.kv.core.read;

import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.Snapshot;
import dev.kv.bytes.DBComparator;
import dev.kv.core.cache.LruCache;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.iterator.TombstoneSkipIndex;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.read.EntryListCursor.Entry;
import dev.kv.core.shared.SharedResourcesImpl;
import dev.kv.core.table.TableCache;
import dev.kv.core.table.cache.CachedBlock;
import dev.kv.core.table.format.BuildBuffers;
import dev.kv.core.table.format.TableBuilder;
import dev.kv.core.table.format.TableFormat;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionBuilder;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * A database of memtables and tables, without the engine that makes it: writes collect until they
 * are put somewhere.
 */
final class TestTree implements AutoCloseable {
  final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  final SharedResourcesImpl shared =
      new SharedResourcesImpl(
          SharedResources.builder().blockCacheSize(64 << 20).compactionThreads(1).settings());
  final OffHeapBudget budget = shared.budget();
  final BlockAllocator allocator = shared.tableMemory().allocator();
  final LruCache<CachedBlock> blocks = shared.blockCache();
  final ArenaPool arenas = shared.arenas();
  final ReadStates states = new ReadStates();
  final SnapshotList snapshots = new SnapshotList(() -> last());
  final TableCache tables;
  final DatabaseReader reader;
  private final Path directory = Path.of("/tree");
  private final Options options;
  private final List<Entry> collected = new ArrayList<>();
  private final List<MemTable> memtables = new ArrayList<>();
  private Version version;
  private long nextFile = 1;
  private long last;

  TestTree(Runnable seeks) {
    options =
        Options.builder()
            .env(Env.inMemory())
            .blockSize(1024)
            .compression(CompressionType.NONE)
            .build();
    try {
      options.env().createDirectory(directory);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    tables = new TableCache(directory, options, order, shared.tableMemory());
    version = Version.empty(order, freed -> {});
    memtables.add(new MemTable(order, arenas.acquire(1 << 20), arenas));
    states.publish(memtables, version);
    reader =
        new DatabaseReader(
            states,
            snapshots,
            tables,
            budget,
            new TombstoneSkipIndex(order.userComparator(), ranges -> {}),
            seeks,
            new Events("tree", null),
            false);
  }

  long last() {
    return last;
  }

  void put(byte[] key, byte[] value) {
    putAt(last + 1, key, value);
  }

  void putAt(long sequence, byte[] key, byte[] value) {
    collected.add(new Entry(InternalKey.encode(key, sequence, ValueKind.VALUE), value));
    last = Math.max(last, sequence);
  }

  void delete(byte[] key) {
    deleteAt(last + 1, key);
  }

  void deleteAt(long sequence, byte[] key) {
    collected.add(new Entry(InternalKey.encode(key, sequence, ValueKind.DELETION), new byte[0]));
    last = Math.max(last, sequence);
  }

  /** Returns a snapshot of the time when {@code sequence} was the last. */
  Snapshot snapshotAt(long sequence) {
    long now = last;
    last = sequence;
    try {
      return snapshots.acquire(null);
    } finally {
      last = now;
    }
  }

  /** Puts what was collected into the memtable, and begins another one behind it. */
  void toMemtable() {
    MemTable memtable = memtables.get(0);
    for (Entry entry : collected) {
      long tag = InternalKey.tag(entry.key());
      int userLength = entry.key().length - InternalKey.TRAILER;
      ByteBuffer source = direct(entry);
      memtable.add(
          InternalKey.sequence(tag),
          ValueKind.values()[InternalKey.kindCode(tag)],
          source,
          0,
          userLength,
          entry.key().length,
          entry.value().length);
    }
    collected.clear();
    memtables.add(0, new MemTable(order, arenas.acquire(1 << 20), arenas));
    publish();
  }

  /**
   * Puts what was collected into {@code count} tables of a level, none sharing a user key with
   * another.
   */
  void toLevel(int level, int count) {
    apply(tables(level, count), true);
  }

  /**
   * Puts what was collected into a table of level 0 that is not known to be a flushed memtable, as
   * after a repair by C++ LevelDB.
   */
  void toLevelZeroOfUnknownAge() {
    apply(tables(0, 1), false);
  }

  private VersionEdit tables(int level, int count) {
    collected.sort((a, b) -> order.compare(a.key(), b.key()));
    VersionEdit.Builder edit = VersionEdit.builder();
    int from = 0;
    for (int i = 1; i <= count && from < collected.size(); i++) {
      int to = Math.max(from + 1, collected.size() * i / count);
      while (to < collected.size() && sameUserKey(to - 1, to)) {
        to++;
      }
      edit.addFile(level, table(collected.subList(from, to)));
      from = to;
    }
    collected.clear();
    return edit.build();
  }

  private void apply(VersionEdit edit, boolean flushes) {
    VersionBuilder builder = new VersionBuilder(version, "tree");
    if (flushes) {
      builder.apply(edit);
    } else {
      builder.applyOfUnknownAge(edit);
    }
    Version before = version;
    version = builder.build(freed -> {});
    publish();
    before.release();
  }

  private boolean sameUserKey(int i, int j) {
    return order
            .userComparator()
            .compare(
                InternalKey.userKey(collected.get(i).key()),
                InternalKey.userKey(collected.get(j).key()))
        == 0;
  }

  private FileMetadata table(List<Entry> entries) {
    long number = nextFile++;
    TableFormat format = TableFormat.of(options);
    try (WritableFile file = options.env().createWritable(FileNames.table(directory, number));
        BuildBuffers buffers = new BuildBuffers(format, budget)) {
      TableBuilder builder = new TableBuilder(format, order, file, buffers);
      for (Entry entry : entries) {
        ByteBuffer source = direct(entry);
        int keyLength = entry.key().length;
        builder.add(source, 0, keyLength, source, keyLength, entry.value().length);
      }
      builder.finish();
      return new FileMetadata(
          number, builder.fileSize(), entries.get(0).key(), entries.get(entries.size() - 1).key());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static ByteBuffer direct(Entry entry) {
    return ByteBuffer.allocateDirect(entry.key().length + entry.value().length)
        .order(ByteOrder.LITTLE_ENDIAN)
        .put(0, entry.key())
        .put(entry.key().length, entry.value());
  }

  private void publish() {
    states.publish(memtables, version);
  }

  Version version() {
    return version;
  }

  /** Closes everything in a database's order. */
  @Override
  public void close() {
    reader.close();
    version.release();
    memtables.forEach(MemTable::release);
    tables.close();
    shared.close();
  }
}

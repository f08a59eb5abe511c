package dev.kv.core.load;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.bytes.Slice;
import dev.kv.core.CutFile;
import dev.kv.core.CutsMappedFile;
import dev.kv.core.compaction.FlushJob;
import dev.kv.core.compaction.OutputContext;
import dev.kv.core.compaction.OutputFixture;
import dev.kv.core.env.FileNames;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import dev.kv.options.CompressionType;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Kind;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Timeout(value = 60, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
final class LoadWriterTest {
  private static final Path DIRECTORY = Path.of("/load");
  private static final long SEQUENCE = 77;
  private static final long MAX_FILE_SIZE = 1 << 20;

  private final StrictMemEnv disk = new StrictMemEnv();
  private final FaultEnv env = new FaultEnv(disk);
  private final AtomicLong numbers = new AtomicLong(10);
  private final Set<Thread> threads = ConcurrentHashMap.newKeySet();
  private OutputFixture fixture;

  /** A filter of the program, which gets copies of the keys. */
  private static final class Exact implements FilterPolicy {
    @Override
    public String name() {
      return "Exact";
    }

    @Override
    public byte[] createFilter(List<Slice> keys) {
      int hash = 0;
      for (Slice key : keys) {
        hash = 31 * hash + Arrays.hashCode(key.toByteArray());
      }
      return bytes(Integer.toString(hash));
    }

    @Override
    public boolean keyMayMatch(Slice key, Slice filter) {
      return true;
    }
  }

  @BeforeEach
  void open() throws IOException {
    disk.createDurableDirectory(DIRECTORY);
  }

  private OutputContext context(CompressionType compression, FilterPolicy filter) {
    Options.Builder options = Options.builder().env(env).compression(compression);
    if (filter != null) {
      options.filterPolicy(filter);
    }
    if (fixture != null) {
      fixture.close();
    }
    fixture = new OutputFixture(env, DIRECTORY, options.build(), numbers);
    return fixture.context();
  }

  @AfterEach
  void close() {
    fixture.close();
    assertThat(Thread.getAllStackTraces().keySet())
        .noneMatch(each -> each.getName().startsWith("kv-load"));
  }

  private static byte[] key(int i) {
    return bytes(String.format(Locale.ROOT, "key%07d", i));
  }

  private static byte[] value(Random random, int most) {
    byte[] value = new byte[random.nextInt(most)];
    for (int i = 0; i < value.length; i++) {
      value[i] = (byte) (i < value.length / 2 ? random.nextInt() : 7);
    }
    return value;
  }

  private static byte[] content(Env env, OutputContext context, FileMetadata table)
      throws IOException {
    byte[] all = new byte[(int) table.size()];
    try (var file =
        env.openSequential(FileNames.table(DIRECTORY, table.number(), context.target().suffix()))) {
      ByteBuffer target = ByteBuffer.allocateDirect(all.length);
      while (target.hasRemaining() && file.read(target) > 0) {}
      target.flip().get(all);
    }
    return all;
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void finish_ofOneTable_wroteWhatAFlushWrites(CompressionType compression) throws IOException {
    for (FilterPolicy filter : new FilterPolicy[] {null, FilterPolicy.bloom(10), new Exact()}) {
      OutputContext context = context(compression, filter);
      ArenaPool arenas = new ArenaPool(context.budget());
      MemTable memtable =
          new MemTable(VersionText.COMPARATOR, arenas.acquire(4 << 20, 4 << 20, true), arenas);
      FileMetadata loaded;
      Random random = new Random(301);
      try (LoadWriter writer = new LoadWriter(context, SEQUENCE, 100 << 20, threads)) {
        for (int i = 0; i < 3000; i++) {
          byte[] key = key(i * 7);
          byte[] value = value(random, i % 100 == 99 ? 20_000 : 400);
          add(writer, key, value);
          ByteBuffer both = ByteBuffer.allocateDirect(key.length + value.length);
          both.put(key).put(value).clear();
          memtable.add(SEQUENCE, ValueKind.VALUE, both, 0, key.length, key.length, value.length);
        }
        loaded = writer.finish().get(0);
      }
      FileMetadata flushed;
      try (InternalIterator entries = memtable.iterator()) {
        flushed = requireNonNull(new FlushJob(entries, context).run().table());
      }
      memtable.release();
      arenas.close();
      assertThat(content(env, context, loaded)).isEqualTo(content(env, context, flushed));
      assertThat(loaded.smallest()).isEqualTo(flushed.smallest());
      assertThat(loaded.largest()).isEqualTo(flushed.largest());
    }
  }

  private static void add(LoadWriter writer, byte[] key, byte[] value) {
    writer.add(ByteBuffer.wrap(key), ByteBuffer.wrap(value));
  }

  private static ByteBuffer behind(String text) {
    return ByteBuffer.wrap(bytes("--" + text)).position(2);
  }

  private List<String> entries(FileMetadata table) {
    List<String> entries = new ArrayList<>();
    try (InternalIterator cursor = fixture.tables().iterator(table, true, false)) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        byte[] key = InternalKey.copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
        byte[] value = new byte[cursor.valueLength()];
        cursor.valueBuffer().get(cursor.valueOffset(), value);
        entries.add(VersionText.text(key) + " " + new String(value, StandardCharsets.UTF_8));
      }
    }
    return entries;
  }

  @Test
  void add_ofAscendingKeys_writesThemWithOneNumber() throws IOException {
    OutputContext context = context(CompressionType.NONE, null);
    List<FileMetadata> files;
    try (LoadWriter writer = new LoadWriter(context, 7, MAX_FILE_SIZE, threads)) {
      writer.endTable();
      add(writer, bytes("a"), bytes("1"));
      writer.add(behind("b"), behind("22"));
      writer.add(direct(bytes("xc")), 1, 1, direct(bytes("yy3")), 2, 1);
      writer.endTable();
      writer.endTable();
      assertThatThrownBy(() -> add(writer, bytes("c"), bytes("again")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("'c'");
      assertThatThrownBy(() -> add(writer, bytes("b"), bytes("again")))
          .isInstanceOf(IllegalArgumentException.class);
      add(writer, bytes("d"), bytes("4"));
      files = writer.finish();
    }
    assertThat(files).hasSize(2);
    assertThat(entries(files.get(0))).containsExactly("a@7 1", "b@7 22", "c@7 3");
    assertThat(entries(files.get(1))).containsExactly("d@7 4");
    assertThat(disk.list(DIRECTORY)).hasSize(2);
  }

  @Test
  void finish_ofMuch_endedTheTablesAtTheLimit() {
    OutputContext context = context(CompressionType.NONE, null);
    try (LoadWriter writer = new LoadWriter(context, SEQUENCE, 40_000, threads)) {
      for (int i = 0; i < 50; i++) {
        add(writer, key(i), new byte[4_000]);
      }
      List<FileMetadata> files = writer.finish();
      assertThat(files).hasSizeBetween(4, 6);
      assertThat(files.stream().flatMap(file -> entries(file).stream())).hasSize(50);
      for (FileMetadata file : files.subList(0, files.size() - 1)) {
        assertThat(file.size()).isBetween(40_000L, 50_000L);
      }
    }
  }

  @Test
  void add_ofMoreThan2GiB_isRefused() throws IOException {
    OutputContext context = context(CompressionType.NONE, null);
    try (LoadWriter writer = new LoadWriter(context, SEQUENCE, MAX_FILE_SIZE, threads)) {
      add(writer, bytes("a"), bytes("1"));
      writer.endTable();
      add(writer, bytes("b"), new byte[100_000]); // fills the group, which is written in a thread
      while (disk.list(DIRECTORY).size() < 2) {
        Thread.onSpinWait();
      }
      assertThatThrownBy(
              () -> writer.add(direct(bytes("c")), 0, 1, direct(bytes("c")), 0, Integer.MAX_VALUE))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2 GiB");
    }
    assertThat(disk.list(DIRECTORY)).isEmpty();
  }

  @Test
  void add_muchMoreThanTheMemory_usesABoundedPartOfIt() {
    OutputContext context = context(CompressionType.SNAPPY, null);
    Random random = new Random(301);
    long most = 0;
    List<FileMetadata> written;
    try (LoadWriter writer = new LoadWriter(context, SEQUENCE, MAX_FILE_SIZE, threads)) {
      for (int i = 0; i < 40_000; i++) {
        add(writer, key(i), value(random, 1000));
        most = Math.max(most, context.budget().used());
      }
      written = writer.finish();
    }
    assertThat(most).isBetween(64L << 10, 2L << 20);
    assertThat(written).hasSizeGreaterThan(8);
    for (int i = 0; i < written.size(); i++) {
      FileMetadata table = written.get(i);
      assertThat(table.number()).isEqualTo(10 + i);
      assertThat(table.size()).isLessThan(MAX_FILE_SIZE + (64 << 10));
      if (i > 0) {
        assertThat(
                VersionText.COMPARATOR.compareUserKeys(
                    written.get(i - 1).largest(), table.smallest()))
            .isNegative();
      }
    }
  }

  @Test
  @CutsMappedFile
  void add_ofAMappedFileThatIsCut_isRefused(@TempDir Path temp) throws IOException {
    ByteBuffer mapped = CutFile.map(temp.resolve("mapped"));
    try (LoadWriter writer =
        new LoadWriter(context(CompressionType.NONE, null), SEQUENCE, MAX_FILE_SIZE, threads)) {
      ByteBuffer other = direct(bytes("other"));
      for (int round = 0; round < 200; round++) {
        for (ByteBuffer cut : List.of(mapped, mapped.slice(30_000, 1))) {
          assertThatThrownBy(() -> writer.add(cut, other))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("cut short");
          assertThatThrownBy(() -> writer.add(other, cut))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("cut short");
        }
      }
      writer.add(mapped.slice(0, 10), mapped.slice(0, 3_000));
      assertThat(entries(writer.finish().get(0))).hasSize(1);
    }
  }

  @Test
  void add_keyThatDoesNotAscend_isRefusedAlsoAtTheBoundsOfBlocksAndTables() {
    OutputContext context = context(CompressionType.NONE, null);
    byte[] value = new byte[3000];
    try (LoadWriter writer = new LoadWriter(context, SEQUENCE, MAX_FILE_SIZE, threads)) {
      for (int i = 1; i < 1000; i++) {
        add(writer, key(i), value);
        int same = i;
        assertThatThrownBy(() -> add(writer, key(same), value))
            .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> add(writer, key(same - 1), value))
            .isInstanceOf(IllegalArgumentException.class);
        if (i % 300 == 0) {
          writer.endTable();
        }
      }
      assertThat(writer.finish()).hasSize(4);
    }
  }

  @Test
  void close_beforeTheEnd_deletesAllTables() throws IOException {
    OutputContext context = context(CompressionType.NONE, null);
    try (LoadWriter writer = new LoadWriter(context, SEQUENCE, MAX_FILE_SIZE, threads)) {
      for (int i = 0; i < 3000; i++) {
        add(writer, key(i), new byte[2000]);
      }
    }
    assertThat(disk.list(DIRECTORY)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource(
      value = Kind.class,
      names = {"CREATE", "WRITE", "SYNC", "OPEN"})
  void fault_inAnotherThread_isThrownByALaterCallAndAllTablesAreDeleted(Kind kind)
      throws IOException {
    OutputContext context = context(CompressionType.NONE, null);
    env.fail(
        FaultEnv.Fault.ERROR,
        1,
        operation -> operation.kind() == kind && operation.isOn("000011.ldb"));
    int[] added = {0};
    try (LoadWriter writer = new LoadWriter(context, SEQUENCE, MAX_FILE_SIZE, threads)) {
      assertThatThrownBy(
              () -> {
                for (; added[0] < 20_000; added[0]++) {
                  add(writer, key(added[0]), new byte[2000]);
                }
              })
          .isInstanceOf(DBIOException.class)
          .hasMessageContaining("000011");
    }
    assertThat(added[0]).as("long before the end of 40 MB").isLessThan(10_000);
    assertThat(disk.list(DIRECTORY)).isEmpty();
  }
}

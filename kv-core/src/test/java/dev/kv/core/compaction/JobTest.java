package dev.kv.core.compaction;

import static dev.kv.core.Bytes.bytes;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.core.env.FileEnv;
import dev.kv.core.env.FileNames;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyBounds;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.ValueKind;
import dev.kv.core.manifest.RecordingEnv;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.lang.management.ManagementFactory;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Flushes and compactions over real tables. */
final class JobTest {
  @TempDir Path directory;

  private final RecordingEnv env = new RecordingEnv(new FileEnv());
  private final AtomicLong numbers = new AtomicLong(10);
  private OutputFixture fixture;
  private OutputContext context;

  @BeforeEach
  void open() {
    open(4096);
  }

  private void open(int blockSize) {
    Options options =
        Options.builder().env(env).blockSize(blockSize).compression(CompressionType.NONE).build();
    fixture = new OutputFixture(env, directory, options, numbers);
    context = fixture.context();
  }

  @AfterEach
  void close() {
    fixture.close();
  }

  private FileMetadata flush(EntryList entries) {
    return requireNonNull(new FlushJob(entries, context).run().table());
  }

  /** Flushes so many entries in one table, of keys that ascend and values of one size. */
  private FileMetadata flushMany(int count, int valueBytes) {
    EntryList entries = new EntryList(List.of());
    for (int i = 0; i < count; i++) {
      add(entries, String.format(Locale.ROOT, "key%05d", i), 1, valueBytes);
    }
    return flush(entries);
  }

  private FileMetadata flush(String... entries) {
    return flush(new EntryList(List.of(entries)));
  }

  /** An open merges small tables by a flush. What they hold may be damaged. */
  @Test
  void flush_keysThatAreDamaged_isCorruptionAndLeavesNoTable() {
    EntryList disorder = new EntryList(List.of("b@2 1", "a@1 1"));
    assertThatThrownBy(() -> flush(disorder))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("out of order");
    EntryList twice = new EntryList(List.of("a@1 1", "a@1 2"));
    assertThatThrownBy(() -> flush(twice))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("out of order");
    for (byte[] key : new byte[][] {bytes("short"), {'a', 7, 1, 0, 0, 0, 0, 0, 0}}) {
      EntryList malformed = new EntryList(List.of());
      malformed.add(key, bytes("1"));
      assertThatThrownBy(() -> flush(malformed))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("no internal key");
    }
    assertThat(names()).isEmpty();
  }

  private List<String> content(FileMetadata file) {
    List<String> entries = new ArrayList<>();
    try (InternalIterator iterator = open(file)) {
      for (iterator.seekToFirst(); iterator.isValid(); iterator.next()) {
        byte[] key =
            InternalKey.copy(iterator.keyBuffer(), iterator.keyOffset(), iterator.keyLength());
        byte[] value = new byte[Math.min(9, iterator.valueLength())];
        iterator.valueBuffer().get(iterator.valueOffset(), value);
        String text = new String(value, StandardCharsets.UTF_8);
        entries.add((VersionText.text(key) + " " + text).trim());
      }
    }
    return entries;
  }

  private InternalIterator open(FileMetadata file) {
    return fixture.tables().iterator(file, true, false);
  }

  private List<String> contents(List<FileMetadata> files) {
    return files.stream().flatMap(file -> content(file).stream()).toList();
  }

  private TreeSet<String> names() {
    try (Stream<Path> children = Files.list(directory)) {
      TreeSet<String> names = new TreeSet<>();
      children.forEach(child -> names.add(child.getFileName().toString()));
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Version version(Object... levelsAndFiles) {
    VersionEdit.Builder edit = VersionEdit.builder();
    for (int i = 0; i < levelsAndFiles.length; i += 2) {
      edit.addFile((int) levelsAndFiles[i], (FileMetadata) levelsAndFiles[i + 1]);
    }
    return VersionText.apply(VersionText.version(List.of()), edit.build());
  }

  private static Compaction pick(Version version, long maxFileSize) {
    RunningJobs running = new RunningJobs(VersionText.COMPARATOR.userComparator());
    return requireNonNull(
        new CompactionPicker(maxFileSize, true)
            .pickManual(version, running, 0, new KeyRange(null, null))
            .compaction());
  }

  private CompactionJob job(Compaction compaction, BooleanSupplier cancelled, long... snapshots) {
    return new CompactionJob(compaction, snapshots, this::open, context, null, null, cancelled);
  }

  private CompactionResult run(Compaction compaction, long... snapshots) {
    return requireNonNull(job(compaction, () -> false, snapshots).run());
  }

  private static void add(EntryList entries, String key, long sequence, int valueBytes) {
    entries.add(InternalKey.encode(bytes(key), sequence, ValueKind.VALUE), new byte[valueBytes]);
  }

  @Test
  void flush_ofEntries_writesThemAllDurably() throws IOException {
    FlushResult result =
        new FlushJob(new EntryList(List.of("a@5 x", "a@3:d", "b@4 y")), context).run();
    FileMetadata file = requireNonNull(result.table());
    assertThat(file.number()).isEqualTo(10);
    assertThat(file.size()).isEqualTo(Files.size(FileNames.table(directory, 10)));
    assertThat(VersionText.text(file.smallest())).isEqualTo("a@5");
    assertThat(VersionText.text(file.largest())).isEqualTo("b@4");
    assertThat(content(file)).containsExactly("a@5 x", "a@3:d", "b@4 y");
    assertThat(result.stats().bytesWritten()).isEqualTo(file.size());
    assertThat(result.stats().entriesWritten()).isEqualTo(3);
    assertThat(env.operations()).startsWith("create 000010.ldb").endsWith("sync 000010.ldb");
  }

  @Test
  void close_ofATableWhoseFileCannotBeClosed_deletesItAllTheSame() {
    Env closing =
        new ForwardingEnv(env) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            return new ForwardingWritableFile(super.createWritable(file)) {
              @Override
              public void close() throws IOException {
                super.close();
                throw new IllegalStateException("the environment is shut down");
              }
            };
          }
        };
    Options options = Options.builder().env(closing).build();
    try (OutputFixture its = new OutputFixture(closing, directory, options, numbers)) {
      OutputWriter writer = new OutputWriter(its.context());
      EntryList entries = new EntryList(List.of("a@1 x"));
      entries.seekToFirst();
      writer.add(entries);
      assertThat(names()).containsExactly("000010.ldb");
      writer.close();
      assertThat(names()).isEmpty();
    }
  }

  @Test
  void flush_ofNothing_writesNothing() {
    assertThat(new FlushJob(new EntryList(List.of()), context).run().table()).isNull();
    assertThat(names()).isEmpty();
  }

  @Test
  void pickLevel_forAFlush_mindsRunningJobs() {
    Version empty = VersionText.version(List.of());
    RunningJobs running = new RunningJobs(VersionText.COMPARATOR.userComparator());
    FlushResult result = new FlushJob(new EntryList(List.of("c@5 x", "d@4 y")), context).run();
    KeyRange keys = requireNonNull(result.table()).userKeys();
    assertThat(empty.pickLevelForMemtableOutput(keys, running::occupied, 100)).isEqualTo(2);
    running.occupy(1, keys);
    assertThat(empty.pickLevelForMemtableOutput(keys, running::occupied, 100)).isZero();
  }

  @Test
  void run_overLevelZero_keepsTheNewestOfEachKey() {
    FileMetadata below = flush("a@1 old", "c@2 old", "e@3 old");
    FileMetadata first = flush("a@5 mid", "b@6 b", "c@7:d", "e@4 mid");
    FileMetadata second = flush("a@9 new", "d@8 d");
    Compaction compaction = pick(version(1, below, 0, first, 0, second), 1 << 20);
    CompactionResult result = run(compaction);
    assertThat(contents(result.outputs())).containsExactly("a@9 new", "b@6 b", "d@8 d", "e@4 mid");
    assertThat(result.edit().deletedFiles())
        .containsExactlyInAnyOrder(
            new VersionEdit.DeletedFile(0, first.number()),
            new VersionEdit.DeletedFile(0, second.number()),
            new VersionEdit.DeletedFile(1, below.number()));
    assertThat(result.edit().newFiles()).hasSize(1);
    assertThat(result.edit().newFiles().get(0).level()).isEqualTo(1);
    assertThat(result.edit().compactPointers()).hasSize(1);
    assertThat(result.stats().entriesRead()).isEqualTo(9);
    assertThat(result.stats().entriesWritten()).isEqualTo(4);
    assertThat(result.stats().bytesRead()).isEqualTo(below.size() + first.size() + second.size());
    // The edit fits the version: the outputs take the inputs' place.
    Version next = VersionText.apply(compaction.version(), result.edit());
    assertThat(next.fileCount(0)).isZero();
    assertThat(next.files(1)).isEqualTo(result.outputs());
  }

  @Test
  void run_withSnapshots_keepsWhatTheySee() {
    FileMetadata first = flush("a@2 two", "a@1 one");
    FileMetadata second = flush("a@9 nine", "a@5:d");
    CompactionResult result = run(pick(version(0, first, 0, second), 1 << 20), 1, 6);
    assertThat(contents(result.outputs())).containsExactly("a@9 nine", "a@5:d", "a@1 one");
  }

  @Test
  void run_thatDropsAll_writesNoTable() {
    FileMetadata first = flush("a@2 two", "b@1 one");
    FileMetadata second = flush("a@9:d", "b@8:d");
    CompactionResult result = run(pick(version(0, first, 0, second), 1 << 20));
    assertThat(result.outputs()).isEmpty();
    assertThat(result.edit().newFiles()).isEmpty();
    assertThat(result.edit().deletedFiles()).hasSize(2);
    assertThat(names()).containsExactly("000010.ldb", "000011.ldb");
  }

  @Test
  void run_withLargeInputs_splitsBetweenUserKeysOnly() {
    EntryList entries = new EntryList(List.of());
    List<Long> snapshots = new ArrayList<>();
    long sequence = 2000;
    for (int i = 0; i < 60; i++) {
      for (int version = 0; version < (i % 7 == 0 ? 20 : 1); version++) {
        add(entries, String.format(Locale.ROOT, "key%03d", i), --sequence, 2000);
        snapshots.add(sequence);
      }
    }
    FileMetadata file = flush(entries);
    long[] all = snapshots.stream().mapToLong(Long::longValue).toArray();
    CompactionResult result = run(pick(version(0, file), 20_000), all);
    List<FileMetadata> outputs = result.outputs();
    assertThat(outputs.size()).isGreaterThan(8);
    assertThat(contents(outputs)).isEqualTo(content(file));
    for (int i = 1; i < outputs.size(); i++) {
      FileMetadata before = outputs.get(i - 1);
      assertThat(before.largestUserKey()).isNotEqualTo(outputs.get(i).smallestUserKey());
      assertThat(before.size()).isGreaterThan(20_000);
    }
    VersionText.apply(VersionText.version(List.of()), result.edit());
  }

  @Test
  void run_whenCancelled_leavesNothing() {
    Compaction compaction = pick(version(0, flushMany(3000, 100)), 10_000);
    int[] asked = new int[1];
    assertThat(job(compaction, () -> asked[0]++ == 6).run()).isNull();
    assertThat(numbers.get()).isGreaterThan(12);
    assertThat(names()).containsExactly("000010.ldb");
    asked[0] = 0;
    assertThat(job(compaction, () -> ++asked[0] == 8).run()).as("at the very end").isNull();
    assertThat(names()).containsExactly("000010.ldb");
  }

  /** So that a close does not wait for the merge of many large values. */
  @Test
  void run_ofLargeValues_looksByBytesWhetherItIsCancelled() {
    Compaction compaction = pick(version(0, flushMany(100, 4000)), 10_000_000);
    int[] asked = new int[1];
    assertThat(job(compaction, () -> ++asked[0] == 5).run()).isNull();
    assertThat(asked[0]).isEqualTo(5);
  }

  @Test
  void run_withAFault_throwsAndLeavesNothing() {
    FileMetadata first = flush("a@2 " + "x".repeat(1500), "b@1 " + "x".repeat(1500), "c@3 z");
    Compaction compaction = pick(version(0, first), 1000);
    int faults = 0;
    for (int k = 0; k < 100; k++) {
      env.failAt(k, k % 2 == 0);
      try {
        assertThat(run(compaction).outputs()).isNotEmpty();
        assertThat(env.operations()).hasSize(k);
        break;
      } catch (DBIOException e) {
        assertThat(e).hasMessageContaining(RecordingEnv.FAULT);
        faults++;
      }
      env.failAt(-1, false);
      assertThat(names()).as("fault %d", k).containsExactly("000010.ldb");
    }
    assertThat(faults).isGreaterThan(2);
  }

  @Test
  void run_overADamagedInput_throwsAndLeavesNothing() throws IOException {
    FileMetadata file = flush("a@2 two", "b@1 one");
    byte[] bytes = Files.readAllBytes(FileNames.table(directory, file.number()));
    bytes[3] ^= 1;
    Files.write(FileNames.table(directory, file.number()), bytes);
    Compaction compaction = pick(version(0, file), 1 << 20);
    assertThatThrownBy(() -> run(compaction))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("000010.ldb");
    assertThat(names()).containsExactly("000010.ldb");
  }

  /** Every block is whole; only the merge sees it. */
  @Test
  void run_overAnInputThatIsOutOfOrder_namesItsFileAndBlock() {
    close();
    open(1024);
    FileMetadata whole = flush("a@1 " + "x".repeat(2000), "m@2 y", "z@3 z");
    OutputContext asTheyCome =
        new OutputContext(
            new OutputContext.Target(
                env, directory, Options.DEFAULT.tables().suffix(), numbers::getAndIncrement),
            context.format(),
            new InternalKeyComparator(
                DBComparator.of("as they come", (unusedBefore, unusedAfter) -> -1)),
            context.budget(),
            context.buffers(),
            () -> 0,
            file -> {});
    EntryList entries =
        new EntryList(
            List.of("b@11 " + "x".repeat(600), "c@12 " + "x".repeat(600), "d@13", "f@14", "e@15"));
    entries.add(VersionText.key("g@16"), new byte[0]);
    FileMetadata misordered = requireNonNull(new FlushJob(entries, asTheyCome).run().table());
    CompactionJob job = job(pick(version(0, whole, 0, misordered), 1 << 20), () -> false);
    assertThatThrownBy(job::run)
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e).hasMessageContaining("out of order").hasMessageContaining("'e' @ 15");
              assertThat(e.file()).endsWith("000011.ldb");
              assertThat(e.offset()).isBetween(1200L, 1300L);
            });
    assertThat(job.damagedInputs()).containsExactly(misordered);
  }

  @Test
  void run_overManyEntries_allocatesNothingForEach() {
    close();
    open(256 << 10);
    Version version = VersionText.version(List.of());
    for (int file = 0; file < 4; file++) {
      EntryList entries = new EntryList(List.of());
      for (int i = 0; i < 10_000; i++) {
        add(entries, String.format(Locale.ROOT, "%016d", 4 * i + file), i + 1, 100);
      }
      VersionEdit edit = VersionEdit.builder().addFile(0, flush(entries)).build();
      version = VersionText.apply(version, edit);
    }
    Compaction compaction = pick(version, 2 << 20);
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    run(compaction);
    long before = threads.getCurrentThreadAllocatedBytes();
    CompactionResult result = run(compaction);
    long allocated = threads.getCurrentThreadAllocatedBytes() - before;
    assertThat(result.stats().entriesWritten()).isEqualTo(40_000);
    // A block of some 500 entries has an index entry on the heap. An object takes 16 bytes at
    // least, so no
    // entry can have one.
    assertThat(allocated / 40_000.0).isLessThan(15);
    assertThat(result.outputs()).hasSize(3);
  }

  // Rewrites, tombstones of a range, and filters.

  @Test
  void rewrite_ofEntries_dropsRepeatedOnesAndSplitsBetweenUserKeys() {
    EntryList entries = new EntryList(List.of());
    for (int i = 0; i < 40; i++) {
      String key = String.format(Locale.ROOT, "key%02d", i / 10);
      add(entries, key, 100 - i, 3_000);
      add(entries, key, 100 - i, 3_000);
    }
    RewriteJob.Result result = new RewriteJob(entries, context, 10_000).run();
    assertThat(result.entries()).isEqualTo(40);
    assertThat(result.lastSequence()).isEqualTo(100);
    assertThat(result.tables()).hasSize(4);
    assertThat(contents(result.tables())).hasSize(40);
    for (FileMetadata file : result.tables()) {
      assertThat(content(file)).hasSize(10);
    }
    assertThat(names()).hasSize(4);
    RewriteJob.Result nothing = new RewriteJob(new EntryList(List.of()), context, 10_000).run();
    assertThat(nothing).isEqualTo(new RewriteJob.Result(List.of(), 0, 0));
  }

  @Test
  void rewrite_withAFault_leavesNothing() {
    EntryList entries = new EntryList(List.of("a@1 1", "b@2 2"));
    env.failAt(2, false);
    assertThatThrownBy(() -> new RewriteJob(entries, context, 10_000).run())
        .isInstanceOf(DBIOException.class);
    env.failAt(-1, false);
    assertThat(names()).isEmpty();
  }

  private RangeTombstones tombstones(EntryList input, String from, String to, Runnable check) {
    return new RangeTombstones(
        input,
        KeyBounds.of(
            from == null ? null : bytes(from),
            to == null ? null : bytes(to),
            VersionText.COMPARATOR.userComparator()),
        VersionText.COMPARATOR.userComparator(),
        50,
        context.budget(),
        check);
  }

  private static List<String> keys(ForwardIterator cursor) {
    List<String> keys = new ArrayList<>();
    for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
      keys.add(
          VersionText.text(
              InternalKey.copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength())));
      assertThat(cursor.valueLength()).isZero();
    }
    return keys;
  }

  @Test
  void rangeTombstones_coverEachUserKeyOfTheRangeOnce() {
    String[] lines = {"a@9 1", "b@9 1", "b@5 2", "b@1:d", "c@7:d", "d@2 3", "e@1 4"};
    record Case(String from, String to, List<String> expected) {}
    List<Case> cases =
        List.of(
            new Case(null, null, List.of("a@50:d", "b@50:d", "c@50:d", "d@50:d", "e@50:d")),
            new Case("b", "d", List.of("b@50:d", "c@50:d")),
            new Case("aa", "b", List.of()),
            new Case("d", null, List.of("d@50:d", "e@50:d")),
            new Case("f", null, List.of()));
    for (Case each : cases) {
      EntryList input = new EntryList(List.of(lines));
      try (RangeTombstones cursor = tombstones(input, each.from(), each.to(), () -> {})) {
        assertThat(keys(cursor)).as("%s", each).isEqualTo(each.expected());
      }
      assertThat(input.isClosed()).as("the input is borrowed").isFalse();
    }
  }

  @Test
  void rangeTombstones_ofManyEntries_lookWhetherTheyAreCancelled() {
    EntryList input = new EntryList(List.of());
    for (int i = 0; i < 5_000; i++) {
      add(input, "k", 10_000 - i, 0);
    }
    int[] checks = new int[1];
    try (RangeTombstones cursor = tombstones(input, null, null, () -> checks[0]++)) {
      assertThat(keys(cursor)).containsExactly("k@50:d");
    }
    assertThat(checks[0]).isEqualTo(4);
  }

  @Test
  void run_withAFilter_dropsAndReplacesWhatNoSnapshotSees() {
    FileMetadata older = flush("a@1 1", "b@1 1", "c@1 1", "d@1 1");
    FileMetadata newer = flush("a@5 2", "b@6 2", "e@7 2");
    Compaction compaction = pick(version(0, older, 0, newer), 1 << 20);
    CompactionFilter filter =
        (level, key, value) ->
            switch (key.toUtf8String()) {
              case "a" -> CompactionFilter.Decision.DROP;
              case "b" -> CompactionFilter.Decision.replace(bytes("other"));
              default -> CompactionFilter.Decision.KEEP;
            };
    CompactionResult result =
        requireNonNull(
            new CompactionJob(
                    compaction, new long[0], this::open, context, null, filter, () -> false)
                .run());
    assertThat(contents(result.outputs())).containsExactly("b@6 other", "c@1 1", "d@1 1", "e@7 2");
    assertThat(result.filtered()).isEqualTo(new FilterResult(1, 1, null));

    CompactionResult withSnapshot =
        requireNonNull(
            new CompactionJob(
                    compaction, new long[] {3}, this::open, context, null, filter, () -> false)
                .run());
    assertThat(contents(withSnapshot.outputs()))
        .containsExactly("a@5:d", "a@1 1", "b@6 other", "b@1 1", "c@1 1", "d@1 1", "e@7 2");
  }
}

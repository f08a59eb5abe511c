package dev.kv.core.db;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.admin.DBInspector;
import dev.kv.admin.LiveFiles;
import dev.kv.core.Call;
import dev.kv.core.Latches;
import dev.kv.core.env.FileName;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.table.format.Footer;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBClosedException;
import dev.kv.load.BulkLoader;
import dev.kv.options.RecoveryMode;
import dev.kv.table.TableWriter;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

class RefreshTest extends DbTestBase {
  private void openSmall() {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
  }

  private static TreeMap<String, String> contents(DBReader db, ReadOptions options) {
    TreeMap<String, String> contents = new TreeMap<>();
    db.forEach(options, (key, value) -> contents.put(key.toUtf8String(), value.toUtf8String()));
    return contents;
  }

  @Test
  void view_untilItsVersionIsFreed_keepsItsTables() throws IOException {
    openSmall();
    put("a", "1");
    db.admin().flush();
    close();
    try (DatabaseContext context = new DatabaseContext(directory, options)) {
      ReadOnlyView view = new ReadOnlyView(new TableUses(context), true);
      view.read(new DirectoryCheck(options.env(), directory));
      assertThat(view.isUnpinned()).isFalse();
      view.release();
      assertThat(view.isUnpinned()).isTrue();
    }
  }

  @Test
  void openReadOnly_tableWithADamagedIndex_readsTheOthers() throws IOException {
    open();
    for (String key : List.of("a", "z")) {
      put(key, key);
      db.admin().flush();
    }
    close();
    Path first;
    try (Stream<Path> files = Files.list(directory)) {
      first = files.filter(file -> file.toString().endsWith(".ldb")).sorted().findFirst().get();
    }
    byte[] bytes = Files.readAllBytes(first);
    bytes[bytes.length - Footer.SIZE - 10] ^= 1;
    Files.write(first, bytes);
    try (ReadOnlyDB reader = DB.openReadOnly(directory, options)) {
      assertThat(reader.get(b("z"))).isEqualTo(b("z"));
      assertThatThrownBy(() -> reader.get(b("a"))).isInstanceOf(CorruptionException.class);
      assertThat(reader.refresh()).isFalse();
    }
  }

  @Test
  void refresh_afterWritesAndCompactions_showsThemToNewReadsOnly() {
    openSmall();
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v" + i);
    }
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT);
        var snapshot = reader.snapshot();
        var cursor = reader.iterator();
        var files = reader.admin().suspendDeletions()) {
      assertThat(reader.refresh()).as("nothing new").isFalse();
      for (int i = 0; i < 1000; i++) {
        put(key(i), "w" + i);
      }
      compact(null, null);
      db.delete(b(key(5)));
      assertThat(reader.get(b(key(7)))).isEqualTo(b("v7"));
      assertThat(reader.refresh()).isTrue();
      assertThat(reader.get(b(key(7)))).isEqualTo(b("w7"));
      assertThat(reader.get(b(key(5)))).isNull();
      assertThat(reader.admin().stats().writes().lastSequence()).isEqualTo(2001);
      db.deleteRange(b(key(0)), b(key(500)));
      compact(null, null);
      assertThat(reader.refresh()).isTrue();
      assertThat(contents(reader, ReadOptions.DEFAULT)).hasSize(500);
      ReadOptions old = ReadOptions.builder().snapshot(snapshot).build();
      int count = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        assertThat(new String(cursor.value(), ISO_8859_1)).isEqualTo("v" + count);
        assertThat(reader.get(old, b(key(count)))).isEqualTo(b("v" + count));
        count++;
      }
      assertThat(count).isEqualTo(1000);
      assertThat(files.sequence()).isEqualTo(1000);
      for (var file : files.files()) {
        try (var open = file.open()) {
          assertThat(open).isNotNull();
        } catch (java.io.IOException e) {
          throw new AssertionError(e);
        }
      }
      reader.admin().checkpoint(directory.resolveSibling("copy"));
      try (ReadOnlyDB copy = DB.openReadOnly(directory.resolveSibling("copy"), Options.DEFAULT)) {
        assertThat(contents(copy, ReadOptions.DEFAULT))
            .isEqualTo(contents(db, ReadOptions.DEFAULT));
      }
    }
  }

  /** Puts a key, and uses up the next sequence number with a load that is not finished. */
  private void putAndAbandonALoad(ReadOnlyDB reader) {
    put("a", "1");
    assertThat(reader.refresh()).isTrue();
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("b"), b("2"));
      assertThat(reader.refresh()).as("the load has taken a number only").isFalse();
    }
    assertThat(lastSequence(reader.admin())).isEqualTo(1);
  }

  private static long lastSequence(DBInspector admin) {
    return admin.stats().writes().lastSequence();
  }

  @Test
  void refresh_afterAnUnfinishedLoadAndAFlush_doesNotGoBack() {
    openSmall();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      putAndAbandonALoad(reader);
      db.admin().flush();
      reader.refresh();
      assertThat(lastSequence(reader.admin())).isEqualTo(2);
      assertThat(contents(reader, ReadOptions.DEFAULT)).containsOnlyKeys("a");
    }
  }

  @Test
  void refresh_afterAnUnfinishedLoadAFlushAndAReopen_showsTheNextWrite() {
    openSmall();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      putAndAbandonALoad(reader);
      db.admin().flush();
      reopen();
      assertThat(lastSequence(db.admin())).isEqualTo(2);
      put("c", "3");
      assertThat(reader.refresh()).isTrue();
      assertThat(lastSequence(reader.admin())).isEqualTo(3);
      assertThat(contents(reader, ReadOptions.DEFAULT)).containsOnlyKeys("a", "c");
    }
  }

  /**
   * Makes a change that does not pass the log. While its number is in the log, and it is not in the
   * MANIFEST, a refresh shows the state before it; afterwards, one shows it and says so.
   */
  private void assertIsSeenAtTheEnd(FaultEnv env, Call.Body change, String... keys)
      throws Exception {
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      TreeMap<String, String> before = contents(reader, ReadOptions.DEFAULT);
      long sequence = lastSequence(reader.admin());
      CountDownLatch begun = new CountDownLatch(1);
      CountDownLatch gate = holdSyncs(env, ".log", begun);
      Call changing = Call.start(change);
      Latches.await(begun);
      try {
        assertThat(reader.refresh()).isFalse();
        assertThat(contents(reader, ReadOptions.DEFAULT)).isEqualTo(before);
        assertThat(lastSequence(reader.admin())).isEqualTo(sequence);
        try (Snapshot snapshot = reader.snapshot();
            LiveFiles files = reader.admin().suspendDeletions()) {
          assertThat(snapshot.sequence()).isEqualTo(sequence);
          assertThat(files.sequence()).isEqualTo(sequence);
        }
      } finally {
        gate.countDown();
      }
      assertThat(changing.outcome()).isNull();
      assertThat(reader.refresh()).isTrue();
      assertThat(contents(reader, ReadOptions.DEFAULT)).containsOnlyKeys(keys);
      assertThat(lastSequence(reader.admin())).isEqualTo(lastSequence(db.admin()));
      assertThat(reader.refresh()).isFalse();
    }
  }

  private FaultEnv openWithThreeKeys() {
    FaultEnv env = new FaultEnv(Env.fileSystem());
    open(defaults().toBuilder().env(env).build());
    for (String key : List.of("a", "b", "c")) {
      put(key, "1");
    }
    db.admin().flush();
    return env;
  }

  @Test
  void refresh_besideARangeDelete_showsItWhenItIsInTheManifest() throws Exception {
    FaultEnv env = openWithThreeKeys();
    assertIsSeenAtTheEnd(env, () -> db.deleteRange(b("b"), null), "a");
  }

  @Test
  void refresh_besideABulkLoad_showsItWhenItIsInTheManifest() throws Exception {
    FaultEnv env = openWithThreeKeys();
    try (BulkLoader loader = db.loads().bulkLoader()) {
      loader.put(b("b"), b("2"));
      loader.put(b("d"), b("2"));
      put("e", "3"); // after the number of the load
      assertIsSeenAtTheEnd(env, loader::finish, "a", "b", "c", "d", "e");
    }
  }

  @Test
  void refresh_besideAnIngest_showsItWhenItIsInTheManifest() throws Exception {
    FaultEnv env = openWithThreeKeys();
    Path file = temp.resolve("table.ldb");
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      writer.put(b("d"), b("2"));
      writer.finish();
    }
    assertIsSeenAtTheEnd(env, () -> db.loads().ingest(List.of(file)), "a", "b", "c", "d");
  }

  private void putAndDelete(int from, int to) {
    for (int i = from; i < to; i++) {
      put(key(i), "v");
      db.delete(b(key(i)));
    }
  }

  /** Returns the first key that a new iterator finds. The third seek may skip tombstones. */
  private static String first(ReadOnlyDB reader) {
    try (DBIterator cursor = reader.iterator()) {
      return first(cursor);
    }
  }

  private static String first(DBIterator cursor) {
    cursor.seekToFirst();
    return cursor.isValid() ? s(cursor.key()) : NOT_FOUND;
  }

  @Test
  void refresh_afterSeeksOverTombstonesOnly_showsTheNewKeys() {
    open();
    putAndDelete(0, 300);
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      for (int i = 0; i < 3; i++) {
        assertThat(contents(reader, ReadOptions.DEFAULT)).isEmpty();
      }
      for (int i = 100; i < 110; i++) {
        put(key(i), "new");
      }
      assertThat(reader.refresh()).isTrue();
      assertThat(contents(reader, ReadOptions.DEFAULT)).hasSize(10);
    }
  }

  @Test
  void refresh_afterSeeksOverTombstonesBeforeAKey_showsTheNewKeys() {
    open();
    putAndDelete(0, 300);
    put(key(300), "end");
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT);
        Snapshot before = reader.snapshot()) {
      for (int i = 0; i < 3; i++) {
        assertThat(first(reader)).isEqualTo(key(300));
      }
      put(key(100), "new");
      assertThat(reader.refresh()).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(first(reader)).isEqualTo(key(100));
      }
      db.delete(b(key(100)));
      assertThat(reader.refresh()).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(first(reader)).isEqualTo(key(300));
      }
      assertThat(contents(reader, ReadOptions.builder().snapshot(before).build()))
          .containsOnlyKeys(key(300));
    }
  }

  /** An iterator keeps its view, and may find the tombstones only after the refresh. */
  @Test
  void refresh_beforeAnOlderIteratorSeeks_showsTheNewKeys() {
    open();
    putAndDelete(0, 300);
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT);
        DBIterator older = reader.iterator()) {
      put(key(100), "new");
      assertThat(reader.refresh()).isTrue();
      for (int i = 0; i < 3; i++) {
        assertThat(first(older)).isEqualTo(NOT_FOUND);
      }
      assertThat(first(reader)).isEqualTo(key(100));
    }
  }

  @Test
  void refresh_twoHundredTimes_closesOldTablesAndFreesOldMemtables() {
    openSmall();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      for (int round = 0; round < 200; round++) {
        for (int i = 0; i < 20; i++) {
          put(key(i), "round " + round);
        }
        if (round % 4 == 0) {
          compact(null, null);
        }
        assertThat(reader.refresh()).isTrue();
        assertThat(reader.get(b(key(3)))).isEqualTo(b("round " + round));
        assertThat(reader.admin().stats().memory().openTables()).isLessThan(8);
        assertThat(reader.admin().stats().memory().offHeap().memtables()).isLessThan(1 << 20);
      }
    }
  }

  @Test
  void refresh_whileTheWriterWorks_showsPrefixesThatNeverGoBack() throws Exception {
    openSmall();
    long seed = 18;
    Random random = new Random(seed);
    int writes = 20_000;
    List<String> keys = new ArrayList<>();
    for (int i = 0; i < writes; i++) {
      keys.add(key(random.nextInt(500)));
    }
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < writes; i++) {
                put(keys.get(i), "value" + i);
              }
            });
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      Thread getter =
          new Thread(
              () -> {
                try {
                  long before = -1;
                  while (writer.isAlive()) {
                    byte[] value = reader.get(b(keys.get(0)));
                    long now =
                        value == null
                            ? -1
                            : Long.parseLong(new String(value, 5, value.length - 5, ISO_8859_1));
                    assertThat(now).isGreaterThanOrEqualTo(before);
                    before = now;
                  }
                } catch (Throwable e) {
                  failure.set(e);
                }
              });
      writer.start();
      getter.start();
      TreeMap<String, String> model = new TreeMap<>();
      int applied = 0;
      boolean more = true;
      while (more) {
        more = writer.isAlive();
        reader.refresh();
        long sequence = reader.admin().stats().writes().lastSequence();
        assertThat(sequence).as("seed %s", seed).isGreaterThanOrEqualTo(applied);
        for (; applied < sequence; applied++) {
          model.put(keys.get(applied), "value" + applied);
        }
        assertThat(contents(reader, ReadOptions.DEFAULT)).as("seed %s", seed).isEqualTo(model);
      }
      getter.join();
      assertThat(applied).isEqualTo(writes);
      assertThat(failure.get()).isNull();
    } finally {
      writer.join();
    }
  }

  @Test
  void refresh_thatFails_leavesTheViewAsItWas() throws Exception {
    open();
    put("a", "1");
    close();
    ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT);
    try {
      byte[] current = Files.readAllBytes(directory.resolve("CURRENT"));
      Files.writeString(directory.resolve("CURRENT"), "MANIFEST-999999\n");
      assertThatThrownBy(reader::refresh).isInstanceOf(CorruptionException.class);
      assertThat(reader.get(b("a"))).isEqualTo(b("1"));
      Files.write(directory.resolve("CURRENT"), current);
      assertThat(reader.refresh()).isFalse();
      assertThat(contents(reader, ReadOptions.DEFAULT)).containsEntry("a", "1");
    } finally {
      reader.close();
    }
    assertThatThrownBy(reader::refresh).isInstanceOf(DBClosedException.class);
  }

  @Test
  void close_duringRefreshes_endsThem() throws InterruptedException {
    openSmall();
    for (int i = 0; i < 500; i++) {
      put(key(i), "v" + i);
    }
    for (int round = 0; round < 10; round++) {
      ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT);
      AtomicReference<Throwable> end = new AtomicReference<>();
      Thread refresher =
          new Thread(
              () -> {
                try {
                  while (true) {
                    reader.refresh();
                  }
                } catch (Throwable e) {
                  end.set(e);
                }
              });
      refresher.start();
      reader.snapshot();
      assertThat(reader.get(b(key(3)))).isEqualTo(b("v3"));
      reader.close();
      refresher.join();
      assertThat(end.get()).isInstanceOf(DBClosedException.class);
    }
  }

  /** While its first attempts at a read of the files run, the writer flushes and deletes a log. */
  private final class Overtaken extends ForwardingEnv {
    final Map<Path, Integer> opens = new TreeMap<>();
    int tableSizes;
    int overtake;

    Overtaken() {
      super(Env.fileSystem());
    }

    @Override
    public long size(Path file) throws IOException {
      tableSizes += file.toString().endsWith(".ldb") ? 1 : 0;
      if (file.toString().endsWith(".log") && overtake > 0) {
        overtake--;
        put(key(1000 + overtake), "overtaken");
        db.admin().flush();
        await("the deletion of " + file, () -> !logs().contains(file.getFileName().toString()));
      }
      return super.size(file);
    }

    private List<String> logs() {
      try {
        return list(directory).stream().filter(name -> name.endsWith(".log")).toList();
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
      opens.merge(file, 1, Integer::sum);
      return super.openRandomAccess(file, map);
    }
  }

  @Test
  void openAndRefresh_overtakenByTheWriter_openAndCheckEachTableOnce() {
    openSmall();
    for (int i = 0; i < 12; i++) {
      put(key(i), "v" + i);
      db.admin().flush();
    }
    Overtaken env = new Overtaken();
    env.overtake = 8;
    try (ReadOnlyDB reader =
        DB.openReadOnly(directory, Options.builder().env(env).blockCacheSize(1 << 20).build())) {
      assertThat(env.overtake).isZero();
      assertThat(contents(reader, ReadOptions.DEFAULT)).hasSize(20);
      assertThat(env.opens).hasSizeGreaterThanOrEqualTo(12).allSatisfy(this::once);
      assertThat(env.tableSizes).isLessThanOrEqualTo(env.opens.size());
      env.overtake = 8;
      assertThat(reader.refresh()).isTrue();
      assertThat(env.overtake).isZero();
      assertThat(contents(reader, ReadOptions.DEFAULT))
          .isEqualTo(contents(db, ReadOptions.DEFAULT));
      assertThat(env.opens).allSatisfy(this::once);
      assertThat(env.tableSizes).isLessThanOrEqualTo(env.opens.size());
    }
  }

  /** After a reader has read a log, and before it reads the next one, the writer fills both. */
  private final class Switching extends ForwardingEnv {
    boolean enabled = true;
    int next = 1000;

    Switching() {
      super(Env.fileSystem());
    }

    @Override
    public SequentialFile openSequential(Path file) throws IOException {
      if (enabled && file.endsWith(files(FileName.Kind.LOG).get(1))) {
        enabled = false;
        for (int i = 0; i < 40; i++) {
          put(key(next++), "x".repeat(1000));
        }
      }
      return super.openSequential(file);
    }
  }

  @ParameterizedTest
  @EnumSource(RecoveryMode.class)
  void openAndRefresh_whileTheWriterSwitchesLogs_showAPrefix(RecoveryMode mode) {
    openSmall();
    Switching env = new Switching();
    Options reading = Options.builder().env(env).recoveryMode(mode).build();
    fillHalf();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, reading)) {
      assertThat(env.enabled).isFalse();
      assertPrefix(reader);
      compact(null, null);
      fillHalf();
      env.enabled = true;
      assertThat(reader.refresh()).isTrue();
      assertThat(env.enabled).isFalse();
      assertPrefix(reader);
      reader.refresh(); // STRICT has read the logs again already
      assertThat(contents(reader, ReadOptions.DEFAULT))
          .isEqualTo(contents(db, ReadOptions.DEFAULT));
    }
  }

  /** After a reader has read the block with the end of a log, the writer fills it and goes on. */
  private final class Filling extends ForwardingEnv {
    final int from;
    boolean enabled = true;

    Filling(int from) {
      super(Env.fileSystem());
      this.from = from;
    }

    @Override
    public SequentialFile openSequential(Path file) throws IOException {
      SequentialFile opened = super.openSequential(file);
      if (!file.toString().endsWith(".log")) {
        return opened;
      }
      return new ForwardingSequentialFile(opened) {
        @Override
        public int read(ByteBuffer into) throws IOException {
          int count = super.read(into);
          if (enabled) {
            enabled = false;
            for (int i = from; i < from + 40; i++) {
              put(key(i), "x".repeat(1000));
            }
          }
          return count;
        }
      };
    }
  }

  @ParameterizedTest
  @EnumSource(RecoveryMode.class)
  void open_whileTheWriterFillsTheBlockThatIsRead_showsAPrefix(RecoveryMode mode) {
    for (int before : new int[] {0, 20}) {
      destroyAndReopen(defaults());
      showsAPrefixWhileTheWriterFills(mode, before);
    }
  }

  private void showsAPrefixWhileTheWriterFills(RecoveryMode mode, int before) {
    put("", "first"); // so that there is a log
    db.admin().flush();
    for (int i = 0; i < before; i++) {
      put(key(i), "x".repeat(1000));
    }
    Filling env = new Filling(before);
    Options reading = Options.builder().env(env).recoveryMode(mode).build();
    try (ReadOnlyDB reader = DB.openReadOnly(directory, reading)) {
      assertThat(env.enabled).isFalse();
      List<String> keys = new ArrayList<>(contents(reader, ReadOptions.DEFAULT).keySet());
      assertThat(keys.remove(0)).isEmpty();
      assertThat(keys).hasSizeGreaterThanOrEqualTo(before);
      for (int i = 0; i < keys.size(); i++) {
        assertThat(keys.get(i)).isEqualTo(key(i));
      }
      reader.refresh();
      assertThat(contents(reader, ReadOptions.DEFAULT))
          .isEqualTo(contents(db, ReadOptions.DEFAULT));
    }
  }

  /** Fills the memtable until the next log is prepared. */
  private void fillHalf() {
    for (int i = 0; i < 40; i++) {
      put(key(i), "x".repeat(1000));
    }
    await("the next log", () -> files(FileName.Kind.LOG).size() > 1);
  }

  private static void assertPrefix(ReadOnlyDB reader) {
    List<String> keys = new ArrayList<>(contents(reader, ReadOptions.DEFAULT).keySet());
    assertThat(keys).hasSizeGreaterThanOrEqualTo(40);
    for (int i = 0; i < keys.size(); i++) {
      assertThat(keys.get(i)).isEqualTo(key(i < 40 ? i : 1000 + i - 40));
    }
  }

  private void once(Path file, int opens) {
    assertThat(opens).as(file.toString()).isEqualTo(1);
  }
}

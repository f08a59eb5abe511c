package dev.kv.core.recovery;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.WriteOptions;
import dev.kv.core.LogFiles;
import dev.kv.core.db.Config;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.SequentialFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** What an open brings back from logs and MANIFESTs. */
class RecoveryTest extends DbTestBase {

  @ParameterizedTest
  @EnumSource
  void reopen_overAndOver_keepsEverything(Config config) {
    open(config.options());
    put("foo", "v1");
    put("baz", "v5");
    reopen();
    assertThat(get("foo")).isEqualTo("v1");
    assertThat(get("baz")).isEqualTo("v5");
    put("bar", "v2");
    put("foo", "v3");
    reopen();
    assertThat(get("foo")).isEqualTo("v3");
    put("foo", "v4");
    assertThat(get("foo")).isEqualTo("v4");
    assertThat(get("bar")).isEqualTo("v2");
    assertThat(get("baz")).isEqualTo("v5");
  }

  @ParameterizedTest
  @EnumSource
  void reopen_emptyLog_keepsWhatWasBefore(Config config) {
    open(config.options());
    put("foo", "v1");
    put("foo", "v2");
    reopen();
    reopen();
    put("foo", "v3");
    reopen();
    assertThat(get("foo")).isEqualTo("v3");
  }

  @ParameterizedTest
  @EnumSource
  void reopen_severalMemtablesPending_keepsAll(Config config) {
    open(config.options().toBuilder().writeBufferSize(1_000_000).build());
    put("foo", "v1");
    put("big1", "x".repeat(10_000_000));
    put("big2", "y".repeat(1000));
    put("bar", "v2");
    reopen();
    assertThat(get("foo")).isEqualTo("v1");
    assertThat(get("bar")).isEqualTo("v2");
    assertThat(get("big1")).isEqualTo("x".repeat(10_000_000));
    assertThat(get("big2")).isEqualTo("y".repeat(1000));
  }

  @Test
  void reopen_largeLogAndSmallBuffer_makesSeveralLevelZeroTables() {
    open();
    for (int i = 1; i <= 4; i++) {
      put("big" + i, String.valueOf(i).repeat(200_000));
    }
    put("small3", "3".repeat(10));
    put("small4", "4".repeat(10));
    assertThat(filesAt(0)).isZero();
    close();
    open(defaults().toBuilder().writeBufferSize(100_000).build());
    await("the tables in level 0 or below", () -> totalFiles() >= 1);
    assertThat(db.admin().stats().levels().get(0).compactionBytesWritten()).isPositive();
    for (int i = 1; i <= 4; i++) {
      assertThat(get("big" + i)).isEqualTo(String.valueOf(i).repeat(200_000));
    }
    assertThat(get("small3")).isEqualTo("3".repeat(10));
    assertThat(get("small4")).isEqualTo("4".repeat(10));
  }

  /**
   * Two records that each fill a memtable, and a rest: with log reuse there is nothing to reuse.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void reopen_logOfFourBuffers_makesThreeLevelZeroTables(boolean reuseLogs) {
    open();
    put("big1", "1".repeat(200_000));
    put("big2", "2".repeat(200_000));
    put("small3", "3".repeat(10));
    put("small4", "4".repeat(10));
    assertThat(filesAt(0)).isZero();
    close();
    open(defaults().toBuilder().writeBufferSize(100_000).reuseLogs(reuseLogs).build());
    assertThat(filesAt(0)).isEqualTo(3);
    assertThat(get("big1")).isEqualTo("1".repeat(200_000));
    assertThat(get("big2")).isEqualTo("2".repeat(200_000));
    assertThat(get("small3")).isEqualTo("3".repeat(10));
    assertThat(get("small4")).isEqualTo("4".repeat(10));
  }

  @Test
  void reopen_reusingTheManifest_keepsItsName() {
    Options reuse = defaults().toBuilder().reuseLogs(true).build();
    open(reuse);
    put("foo", "bar");
    close();
    List<String> manifest = manifests();
    open(reuse);
    assertThat(manifests()).isEqualTo(manifest);
    assertThat(get("foo")).isEqualTo("bar");
    reopen();
    assertThat(manifests()).isEqualTo(manifest);
  }

  @Test
  void reopen_largeManifest_isReplaced() throws IOException {
    Options reuse = defaults().toBuilder().reuseLogs(true).maxFileSize(1 << 20).build();
    open(reuse);
    put("foo", "bar");
    close();
    String old = manifests().get(0);
    Path file = directory.resolve(old);
    // An edit that changes nothing and takes much room: records of a compaction pointer, over and
    // over.
    Files.write(file, grown(Files.readAllBytes(file)));
    open(reuse);
    assertThat(manifests()).doesNotContain(old);
    assertThat(Files.size(directory.resolve(manifests().get(0)))).isLessThan(200_000);
    assertThat(get("foo")).isEqualTo("bar");
  }

  /** Returns a MANIFEST of over a MiB that says the same. */
  private static byte[] grown(byte[] manifest) throws IOException {
    Path dir = Files.createTempDirectory("kvtest");
    Path file = dir.resolve("MANIFEST-000001");
    Files.write(file, manifest);
    var edit =
        dev.kv.core.version.VersionEditCodec.encode(
            dev.kv.core.version.VersionEdit.builder()
                .compactPointer(
                    1,
                    dev.kv.core.key.InternalKey.encode(
                        new byte[100_000], 1, dev.kv.core.key.ValueKind.VALUE))
                .build());
    byte[][] edits = Collections.nCopies(12, edit).toArray(new byte[0][]);
    LogFiles.append(Options.DEFAULT.env(), file, edits);
    byte[] grown = Files.readAllBytes(file);
    Files.delete(file);
    Files.delete(dir);
    return grown;
  }

  /** As C++ LevelDB does in any case; here in the modes that accept what is lost. */
  @ParameterizedTest
  @EnumSource(names = {"POINT_IN_TIME", "CPP_COMPAT"})
  void open_withoutLogs_bringsBackWhatIsInTables(RecoveryMode mode) throws IOException {
    open(defaults().toBuilder().recoveryMode(mode).build());
    put("foo", "bar");
    close();
    deleteLogs();
    open();
    assertThat(get("foo")).isEqualTo(NOT_FOUND);
    assertThat(db.admin().stats().recovery().reason())
        .isEqualTo(
            mode == RecoveryMode.CPP_COMPAT
                ? ""
                : "000003.log, which the MANIFEST needs, is missing");
    put("kept", "v");
    db.admin().flush();
    close();
    deleteLogs();
    open();
    assertThat(get("kept")).isEqualTo("v");
  }

  /** What was written to it was acknowledged, and nothing else shows that it is lost. */
  @ParameterizedTest
  @EnumSource(names = {"TORN_WRITES", "STRICT", "PARANOID"})
  void open_withoutTheLogThatTheManifestNeeds_isCorruption(RecoveryMode mode) throws IOException {
    Options with = defaults().toBuilder().recoveryMode(mode).build();
    open(with);
    put("kept", "v");
    db.admin().flush();
    put("lost", "v");
    close();
    String log = files(FileName.Kind.LOG).get(0);
    deleteLogs();
    for (boolean readOnly : new boolean[] {true, false}) {
      assertThatThrownBy(
              () -> (readOnly ? DB.openReadOnly(directory, with) : open(with)).get(b("a")))
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining(log + ", which is missing");
    }
    DB.repair(directory, with);
    open(with);
    assertThat(contents()).isEqualTo("(kept->v)");
  }

  private void deleteLogs() throws IOException {
    for (String log : files(FileName.Kind.LOG)) {
      Files.delete(directory.resolve(log));
    }
  }

  @Test
  void reopen_reusingTheLog_goesOnAtItsEnd() {
    Options reuse = defaults().toBuilder().reuseLogs(true).build();
    open(reuse);
    put("foo", "bar");
    for (int i = 0; i < 3; i++) {
      close();
      List<String> before = files(FileName.Kind.LOG);
      assertThat(before).hasSize(1);
      open(reuse);
      assertThat(files(FileName.Kind.LOG)).isEqualTo(before);
      assertThat(totalFiles()).isZero();
      assertThat(get("foo")).isEqualTo("bar");
      put("foo" + i, "bar" + i);
    }
    reopen();
    assertThat(contents()).isEqualTo("(foo->bar)(foo0->bar0)(foo1->bar1)(foo2->bar2)");
    db.admin().flush();
    reopen();
    assertThat(contents()).isEqualTo("(foo->bar)(foo0->bar0)(foo1->bar1)(foo2->bar2)");
  }

  @Test
  void open_severalMemtablesOfOneLog_makesATableOfEach() {
    open();
    String value = "v".repeat(1000);
    for (int i = 0; i < 400; i++) {
      put(key(i), value);
    }
    close();
    List<String> logs = files(FileName.Kind.LOG);
    open(defaults().toBuilder().reuseLogs(true).writeBufferSize(64 << 10).build());
    assertThat(files(FileName.Kind.LOG)).doesNotContainAnyElementsOf(logs);
    assertThat(db.admin().stats().recovery().records()).isEqualTo(400);
    for (int i = 0; i < 400; i++) {
      assertThat(get(key(i))).isEqualTo(value);
    }
  }

  @Test
  void open_severalLogs_replaysThemInOrder() throws IOException {
    open();
    put("foo", "bar");
    close();
    // A log of the time before, under a higher number: written later, by what it says.
    long first = number(files(FileName.Kind.LOG).get(0));
    writeLog(first + 1, 2, "hello", "world");
    writeLog(first + 2, 3, "hi", "there");
    writeLog(first + 3, 4, "foo", "bar2");
    open();
    assertThat(get("foo")).isEqualTo("bar2");
    assertThat(get("hello")).isEqualTo("world");
    assertThat(get("hi")).isEqualTo("there");
    assertThat(db.admin().stats().recovery().logs()).isEqualTo(4);
    put("more", "v");
    reopen();
    assertThat(get("hi")).isEqualTo("there");
    assertThat(get("more")).isEqualTo("v");
  }

  /**
   * The MANIFEST names a log that is missing: the open has to name the one that it goes on with.
   */
  @Test
  void open_reusingLogsBesideAMissingOne_leavesWhatTheNextOpenTakes() throws IOException {
    Options reuse =
        defaults().toBuilder().reuseLogs(true).recoveryMode(RecoveryMode.CPP_COMPAT).build();
    open(reuse);
    put("foo", "bar");
    close();
    Path named = directory.resolve(files(FileName.Kind.LOG).get(0));
    writeLog(number(named.getFileName().toString()) + 2, 2, "hello", "world");
    Files.delete(named);
    open(reuse);
    put("more", "v");
    close();
    open(defaults());
    assertThat(get("hello")).isEqualTo("world");
    assertThat(get("more")).isEqualTo("v");
  }

  /** None of them is gone on with: the first is not the last, and the last is not alone. */
  @Test
  void open_severalLogsReusingLogs_replaysAllAndGoesOnWithNone() throws IOException {
    Options reuse = defaults().toBuilder().reuseLogs(true).build();
    open(reuse);
    put("foo", "bar");
    close();
    long first = number(files(FileName.Kind.LOG).get(0));
    writeLog(first + 1, 2, "hello", "world");
    writeLog(first + 2, 3, "hi", "there");
    open(reuse);
    assertThat(contents()).isEqualTo("(foo->bar)(hello->world)(hi->there)");
    assertThat(files(FileName.Kind.LOG).stream().map(RecoveryTest::number))
        .allMatch(number -> number > first + 2);
    put("more", "v");
    reopen();
    assertThat(contents()).isEqualTo("(foo->bar)(hello->world)(hi->there)(more->v)");
  }

  /**
   * As old versions of LevelDB left it when they were killed while a memtable was being flushed.
   */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void open_logThatTheManifestNamesAsPrevious_isReplayedToo(boolean repair) throws IOException {
    open();
    put("foo", "bar");
    db.admin().flush();
    close();
    deleteLogs();
    Path manifest = directory.resolve(manifests().get(0));
    byte[] edit =
        VersionEditCodec.encode(
            VersionEdit.builder().logNumber(40).previousLogNumber(30).nextFileNumber(50).build());
    LogFiles.append(options.env(), manifest, edit);
    writeLog(20, 2, "obsolete", "v");
    writeLog(30, 2, "previous", "v");
    writeLog(40, 3, "last", "v");
    if (repair) {
      DB.repair(directory, options);
    }
    open();
    assertThat(contents()).isEqualTo("(foo->bar)(last->v)(previous->v)");
    put("more", "v");
    reopen();
    assertThat(contents()).isEqualTo("(foo->bar)(last->v)(more->v)(previous->v)");
  }

  @Test
  void open_logThatDoesNotFollowTheOneBefore_endsThere() throws IOException {
    open();
    put("foo", "bar");
    close();
    long first = number(files(FileName.Kind.LOG).get(0));
    writeLog(first + 1, 9, "hello", "world");
    open();
    assertThat(contents()).isEqualTo("(foo->bar)");
    assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
    assertThat(db.admin().stats().recovery().reason()).contains("sequence 9");
  }

  @Test
  void open_firstLogLost_dropsTheLaterOnes() throws IOException {
    open();
    put("foo", "bar");
    db.admin().flush();
    close();
    // The log that is live is empty, as if it had lost all its pages; a later one is not.
    long live = number(files(FileName.Kind.LOG).get(0));
    writeLog(live + 1, 9, "hello", "world");
    open();
    assertThat(contents()).isEqualTo("(foo->bar)");
    assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
    assertThat(db.admin().stats().recovery().reason())
        .contains("begins at sequence 9 instead of 2");
  }

  @Test
  void open_oldestLogGoneAndALaterOneThere_isCorruption() throws IOException {
    open();
    put("foo", "bar");
    close();
    Path log = directory.resolve(files(FileName.Kind.LOG).get(0));
    writeLog(number(log.getFileName().toString()) + 1, 2, "hello", "world");
    Files.delete(log);
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(log.getFileName().toString());
  }

  @Test
  void open_oldestLogBeginsBehindAFailedWrite_isReplayed() throws IOException {
    open();
    put("foo", "bar");
    db.admin().flush();
    close();
    writeLog(number(files(FileName.Kind.LOG).get(0)), 9, "hello", "world");
    open();
    assertThat(contents()).isEqualTo("(foo->bar)(hello->world)");
    assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(9);
  }

  @Test
  void open_firstBlockOfALogLost_dropsTheRest() throws IOException {
    open();
    put("foo", "bar");
    db.admin().flush();
    close();
    long live = number(files(FileName.Kind.LOG).get(0));
    Path log = dev.kv.core.env.FileNames.log(directory, live);
    writeLog(live, 9, "hello", "world");
    byte[] record = Files.readAllBytes(log);
    byte[] behindZeros = new byte[(32 << 10) + record.length];
    System.arraycopy(record, 0, behindZeros, 32 << 10, record.length);
    Files.write(log, behindZeros);
    open();
    assertThat(contents()).isEqualTo("(foo->bar)");
    assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
  }

  private void writeLog(long number, long sequence, String key, String value) throws IOException {
    Path file = dev.kv.core.env.FileNames.log(directory, number);
    var batch = new dev.kv.core.batch.EncodedBatch();
    batch.put(b(key), b(value));
    LogFiles.write(options.env(), file, LogFiles.record(sequence, batch));
  }

  private static long number(String name) {
    FileName parsed = dev.kv.core.env.FileNames.parse(name);
    assertThat(parsed).isNotNull();
    return parsed.number();
  }

  @Test
  void open_manifestMissing_isCorruption() throws IOException {
    open();
    put("foo", "bar");
    close();
    Files.delete(directory.resolve(manifests().get(0)));
    assertThatThrownBy(this::open)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("MANIFEST-");
  }

  private List<String> manifests() {
    return files(FileName.Kind.MANIFEST);
  }

  @Test
  void open_afterKilledProcess_bringsBackEverythingAcknowledged() throws IOException {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    Random random = new Random(17);
    List<String> values = new ArrayList<>();
    for (int i = 0; i < 300; i++) {
      values.add(randomValue(random, random.nextInt(1200)));
      db.put(WriteOptions.builder().sync(i % 50 == 0).build(), b(key(i)), b(values.get(i)));
    }
    // A copy of the files while the database is open is what a killed process leaves behind.
    db.admin().suspendCompactions();
    db.admin().flush();
    put("last", "one");
    Path copy = temp.resolve("copy");
    copyWithoutObsolete(copy);
    db.admin().resumeCompactions();
    for (boolean reuse : new boolean[] {true, false}) {
      DB killed = openOther(copy, defaults().toBuilder().reuseLogs(reuse).build());
      for (int i = 0; i < 300; i++) {
        assertThat(s(killed.get(b(key(i))))).isEqualTo(values.get(i));
      }
      assertThat(s(killed.get(b("last")))).isEqualTo("one");
      assertThat(killed.admin().stats().recovery().droppedBytes()).isZero();
      killed.close();
    }
  }

  /**
   * Copies the files of the open database; the flushed log may be deleted meanwhile, and nothing
   * needs it.
   */
  private void copyWithoutObsolete(Path copy) throws IOException {
    Files.createDirectories(copy);
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        if (!file.endsWith("LOCK")) {
          try {
            Files.copy(file, copy.resolve(file.getFileName()));
          } catch (NoSuchFileException e) {
            assertThat(file.toString()).endsWith(".log");
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void open_damagedRecordInTheLog_isJudgedByTheMode(RecoveryMode mode) throws IOException {
    open();
    for (int i = 0; i < 10; i++) {
      put(key(i), "v".repeat(100));
    }
    close();
    Path log = directory.resolve(files(FileName.Kind.LOG).get(0));
    byte[] bytes = Files.readAllBytes(log);
    bytes[bytes.length / 2] ^= 0x40;
    Files.write(log, bytes);
    Options with = defaults().toBuilder().recoveryMode(mode).build();
    switch (mode) {
      case TORN_WRITES, STRICT, PARANOID -> {
        assertThatThrownBy(() -> open(with))
            .isInstanceOfSatisfying(
                CorruptionException.class,
                e -> {
                  assertThat(e.file()).isEqualTo(log.toString());
                  assertThat(e.offset()).isPositive();
                  assertThat(e).hasMessageContaining("POINT_IN_TIME");
                });
        open(with.toBuilder().recoveryMode(RecoveryMode.POINT_IN_TIME).build());
        assertThat(get(key(0))).isEqualTo("v".repeat(100));
      }
      case POINT_IN_TIME -> {
        open(with);
        assertThat(get(key(0))).isEqualTo("v".repeat(100));
        assertThat(get(key(9))).isEqualTo(NOT_FOUND);
        assertThat(db.admin().stats().recovery().droppedBytes()).isBetween(100L, 900L);
      }
      case CPP_COMPAT -> {
        open(with);
        assertThat(get(key(0))).isEqualTo("v".repeat(100));
        assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
      }
      default -> throw new AssertionError(mode);
    }
  }

  @ParameterizedTest
  @EnumSource
  void open_logCutInsideTheLastRecord_losesThatRecordOnly(RecoveryMode mode) throws IOException {
    open();
    for (int i = 0; i < 10; i++) {
      put(key(i), "v".repeat(100));
    }
    close();
    Path log = directory.resolve(files(FileName.Kind.LOG).get(0));
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, java.util.Arrays.copyOf(bytes, bytes.length - 20));
    open(defaults().toBuilder().recoveryMode(mode).build());
    assertThat(get(key(8))).isEqualTo("v".repeat(100));
    assertThat(get(key(9))).isEqualTo(NOT_FOUND);
    assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
    put(key(9), "again");
    reopen();
    assertThat(get(key(9))).isEqualTo("again");
    assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
  }

  @Test
  void readOnly_besideTheWriter_seesTheStateAtItsOpenAndWritesNothing() {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    for (int i = 0; i < 1000; i++) {
      put(key(i), "v" + i);
    }
    try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT)) {
      for (int i = 0; i < 1000; i++) {
        put(key(i), "w" + i);
      }
      compact(null, null);
      for (int i = 0; i < 1000; i++) {
        assertThat(new String(reader.get(b(key(i))), ISO_8859_1)).isEqualTo("v" + i);
      }
      assertThat(reader.admin().stats().writes().lastSequence()).isEqualTo(1000);
    }
    assertThat(get(key(7))).isEqualTo("w7");
  }

  @Test
  void readOnly_whileTheWriterWorks_seesAPrefixEachTime() throws InterruptedException {
    open(defaults().toBuilder().writeBufferSize(64 << 10).build());
    int entries = 30_000;
    Thread writer =
        new Thread(
            () -> {
              for (int i = 0; i < entries; i++) {
                put(key(i), "value" + i);
              }
            });
    writer.start();
    while (writer.isAlive()) {
      try (ReadOnlyDB reader = DB.openReadOnly(directory, Options.DEFAULT);
          var cursor = reader.iterator()) {
        int count = 0;
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          assertThat(s(cursor.key())).isEqualTo(key(count));
          count++;
        }
        assertThat(reader.admin().stats().writes().lastSequence()).isEqualTo(count);
      }
    }
    writer.join();
    assertThat(db.admin().stats().writes().lastSequence())
        .as("what the writer wrote")
        .isEqualTo(entries);
  }

  /**
   * Fails the opens of logs for the first so many times, as a writer does that is quicker than the
   * reader.
   */
  private static final class Racing extends ForwardingEnv {
    private final int failures;
    private final IntFunction<Exception> failure;
    private int opens;

    Racing(int failures, IntFunction<Exception> failure) {
      super(Env.fileSystem());
      this.failures = failures;
      this.failure = failure;
    }

    @Override
    public SequentialFile openSequential(Path file) throws IOException {
      if (file.toString().endsWith(".log") && opens++ < failures) {
        Exception e = failure.apply(opens);
        if (e instanceof IOException missing) {
          throw missing;
        }
        throw (RuntimeException) e;
      }
      return super.openSequential(file);
    }

    @Override
    public void sleepMicros(long micros) {
      assertThat(micros).isPositive();
    }

    Options reading() {
      return Options.builder().env(this).build();
    }
  }

  private static CorruptionException damage(int place) {
    return new CorruptionException("damage at " + place, "000003.log", place);
  }

  @Test
  void readOnly_eachAttemptFailsElsewhere_triesAgain() {
    open();
    put("foo", "bar");
    close();
    for (IntFunction<Exception> each :
        List.<IntFunction<Exception>>of(
            i -> new NoSuchFileException(i + ".log"), RecoveryTest::damage)) {
      Racing env = new Racing(300, each);
      try (ReadOnlyDB reader = DB.openReadOnly(directory, env.reading())) {
        assertThat(reader.get(b("foo"))).isEqualTo(b("bar"));
      }
      assertThat(env.opens).isEqualTo(301);
    }
  }

  @Test
  void readOnly_attemptsFailInTheSamePlace_givesUp() {
    open();
    put("foo", "bar");
    close();
    Racing missing =
        new Racing(
            Integer.MAX_VALUE, i -> new NoSuchFileException(i < 10 ? "first" : "000003.log"));
    assertThatThrownBy(() -> DB.openReadOnly(directory, missing.reading()))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("000003.log");
    assertThat(missing.opens).isEqualTo(9 + 50);
    Racing damaged = new Racing(Integer.MAX_VALUE, i -> damage(Math.min(i, 10)));
    assertThatThrownBy(() -> DB.openReadOnly(directory, damaged.reading()))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("damage at 10");
    assertThat(damaged.opens).isEqualTo(9 + 3);
    Racing quick = new Racing(Integer.MAX_VALUE, RecoveryTest::damage);
    assertThatThrownBy(() -> DB.openReadOnly(directory, quick.reading()))
        .isInstanceOf(CorruptionException.class);
    assertThat(quick.opens).isEqualTo(2000);
  }
}

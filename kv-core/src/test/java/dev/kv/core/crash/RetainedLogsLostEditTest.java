package dev.kv.core.crash;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.WriteOptions;
import dev.kv.core.EnvFiles;
import dev.kv.core.LogFiles;
import dev.kv.core.env.FileNames;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.CorruptionException;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A MANIFEST that lost edits at its end, beside logs that are kept for readers of changes. The
 * oldest log is there, and recovery ends in it: it was torn by a loss of power before. So the later
 * logs must prove the loss.
 */
@Tag("one-jdk")
final class RetainedLogsLostEditTest {
  private static final Path DIRECTORY = Path.of("/lost/db");
  private static final byte[] DURABLE = bytes("durable");

  private Env env = Env.inMemory();

  /** The files of a database that was killed, with the name of each. */
  private Map<String, byte[]> files = new TreeMap<>();

  /** The name of the torn log. */
  private String torn = "";

  private final TreeMap<String, byte[]> synced = new TreeMap<>();

  private Options.Builder options() {
    return Options.builder()
        .env(env)
        .createIfMissing(true)
        .reuseLogs(true)
        .writeBufferSize(64 << 10)
        .logRetention(LogRetention.ofBytes(1 << 30));
  }

  /** The database was killed after synced writes, and loss of power tore the last, unsynced one. */
  @BeforeEach
  void createWithATornLog() throws IOException {
    env.createDirectory(DIRECTORY.getParent());
    try (DB db = DB.open(DIRECTORY, options().build())) {
      putSynced(db, "a", 10);
      db.admin().flush();
      putSynced(db, "b", 10);
      db.put(bytes("torn"), new byte[3000]);
      files = read(env);
    }
    torn = files.keySet().stream().filter(this::isTorn).findFirst().orElseThrow();
    files.put(torn, Arrays.copyOf(files.get(torn), 1200));
  }

  /** Returns true for the log that has records; another one may be prepared. */
  private boolean isTorn(String name) {
    return name.endsWith(".log") && files.get(name).length > 3000;
  }

  private void putSynced(DB db, String prefix, int count) {
    for (int i = 0; i < count; i++) {
      db.put(WriteOptions.SYNC, bytes(prefix + i), DURABLE);
      synced.put(prefix + i, DURABLE);
    }
  }

  private static Map<String, byte[]> read(Env env) throws IOException {
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : env.list(DIRECTORY)) {
      if (!name.equals("LOCK") && !name.equals("lost")) {
        files.put(name, EnvFiles.read(env, DIRECTORY.resolve(name)));
      }
    }
    return files;
  }

  /** Continues in a new environment that has only these files. */
  private void restore(Map<String, byte[]> content) throws IOException {
    env = Env.inMemory();
    env.createDirectory(DIRECTORY.getParent());
    env.createDirectory(DIRECTORY);
    for (Map.Entry<String, byte[]> file : content.entrySet()) {
      EnvFiles.write(env, DIRECTORY.resolve(file.getKey()), file.getValue());
    }
  }

  /** Returns a log with one record, which puts a value under each key. */
  private static byte[] log(long sequence, String... keys) throws IOException {
    Env other = Env.inMemory();
    Path file = Path.of("/log");
    LogFiles.write(other, file, LogFiles.record(sequence, keys));
    return EnvFiles.read(other, file);
  }

  private static String lastLog(Map<String, byte[]> files) {
    return files.keySet().stream()
        .filter(name -> name.endsWith(".log"))
        .reduce((before, after) -> after)
        .orElseThrow();
  }

  private static String manifest(Map<String, byte[]> files) {
    return files.keySet().stream()
        .filter(name -> name.startsWith("MANIFEST-"))
        .reduce((before, after) -> after)
        .orElseThrow();
  }

  private void expectSynced(DBReader db, String what) {
    for (Map.Entry<String, byte[]> entry : synced.entrySet()) {
      assertThat(db.get(bytes(entry.getKey())))
          .as("%s of %s", entry.getKey(), what)
          .isEqualTo(entry.getValue());
    }
  }

  /** Returns true if the open is refused; if it is not, all synced writes are there. */
  private boolean isRefused(Options with, boolean readOnly, String what) {
    try {
      if (readOnly) {
        try (ReadOnlyDB db = DB.openReadOnly(DIRECTORY, with)) {
          expectSynced(db, what);
        }
      } else {
        try (DB db = DB.open(DIRECTORY, with)) {
          expectSynced(db, what);
        }
      }
      return false;
    } catch (CorruptionException e) {
      return true;
    }
  }

  /** Opens the database, makes synced writes, and kills it. */
  private void writeAndKill(String prefix, boolean flush) throws IOException {
    restore(files);
    try (DB db = DB.open(DIRECTORY, options().build())) {
      putSynced(db, prefix, 50);
      if (flush) {
        db.admin().flush();
        putSynced(db, prefix + "later", 5);
      }
      files = read(env);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void open_afterACut_isRefusedOrHasTheSyncedWrites(boolean flush) throws IOException {
    writeAndKill("s", flush);
    writeAndKill("t", false);
    restore(files);
    DB.open(DIRECTORY, options().build()).close(); // an incarnation without writes
    files = read(env);
    restore(files);
    assertThat(isRefused(options().build(), true, "the whole files, read-only")).isFalse();
    assertThat(isRefused(options().build(), false, "the whole files")).isFalse();
    String name = manifest(files);
    byte[] whole = files.get(name);
    int refused = 0;
    for (int record : LostEditTest.recordsOf(whole)) {
      for (int end : new int[] {record, record + 9}) {
        Map<String, byte[]> cut = new TreeMap<>(files);
        cut.put(name, Arrays.copyOf(whole, end));
        refused += expectRefusedOrRight(cut, "the cut at " + end);
        byte[] zeros = whole.clone();
        Arrays.fill(zeros, end, whole.length, (byte) 0);
        cut.put(name, zeros);
        refused += expectRefusedOrRight(cut, "zeros from " + end);
      }
    }
    assertThat(refused).isGreaterThan(20);
  }

  private int expectRefusedOrRight(Map<String, byte[]> damaged, String how) throws IOException {
    int refused = 0;
    for (RecoveryMode mode : RecoveryMode.values()) {
      for (boolean readOnly : new boolean[] {true, false}) {
        restore(damaged);
        String what = how + ", " + mode + (readOnly ? ", read-only" : "");
        if (isRefused(options().recoveryMode(mode).build(), readOnly, what)) {
          refused++;
          DB.repair(DIRECTORY, options().build());
          assertThat(isRefused(options().build(), false, what + ", repaired")).isFalse();
        }
      }
    }
    return refused;
  }

  /** Adds a log with writes after the torn record, which the next open drops. */
  private void addDroppedLog() throws IOException {
    files.put(later(torn, 1), log(22, "s0", "s1", "dropped"));
  }

  /** Makes synced writes in a later open, whose edit the MANIFEST then loses. */
  private void cutAfterALaterOpen() throws IOException {
    writeAndKill("s", false);
    String name = manifest(files);
    byte[] whole = files.get(name);
    List<Integer> records = LostEditTest.recordsOf(whole);
    files.put(name, Arrays.copyOf(whole, records.get(records.size() - 1)));
  }

  private void repairAndExpectNoDroppedWrite() {
    DB.repair(DIRECTORY, options().build());
    try (DB db = DB.open(DIRECTORY, options().build())) {
      expectSynced(db, "the repaired database");
      assertThat(db.get(bytes("dropped"))).isNull();
    }
  }

  /** What the repair reads: the unsynced writes that an open has dropped must not come back. */
  @Test
  void repair_afterACut_bringsNoDroppedWriteBack() throws IOException {
    addDroppedLog();
    cutAfterALaterOpen();
    restore(files);
    assertThatThrownBy(() -> DB.open(DIRECTORY, options().build()))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("MANIFEST: its end is lost")
        .hasMessageContaining(torn);
    repairAndExpectNoDroppedWrite();
  }

  /** The same, if the tables that the MANIFEST names are gone, too. */
  @Test
  void repair_afterACutBeforeACompaction_bringsNoDroppedWriteBack() throws IOException {
    addDroppedLog();
    String name = manifest(files);
    int before = files.get(name).length;
    List<String> tables = files.keySet().stream().filter(file -> file.endsWith(".ldb")).toList();
    assertThat(tables).isNotEmpty();
    restore(files);
    try (DB db = DB.open(DIRECTORY, options().build())) {
      putSynced(db, "s", 50);
      putSynced(db, "a", 10); // over the keys of the table, which goes
      db.admin().compactRange(null, null);
      files = read(env);
    }
    files.keySet().removeAll(tables); // which the maintenance deletes
    files.put(name, Arrays.copyOf(files.get(name), before));
    restore(files);
    assertThatThrownBy(() -> DB.open(DIRECTORY, options().build()))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining(".ldb");
    repairAndExpectNoDroppedWrite();
  }

  /**
   * Loss of power has left no trace of the last write in its log, but whole records in the next
   * log. An open drops these because they begin late.
   */
  private void dropALogThatBeginsLate() throws IOException {
    addDroppedLog();
    byte[] log = files.get(torn);
    List<Integer> records = LostEditTest.recordsOf(log);
    files.put(torn, Arrays.copyOf(log, records.get(records.size() - 1)));
    cutAfterALaterOpen();
  }

  /** Only an open with another mode than that of the last one meets such logs. */
  @ParameterizedTest
  @EnumSource(RecoveryMode.class)
  void open_afterACut_ofALogThatAnEarlierOpenDroppedAsLate_isRefused(RecoveryMode mode)
      throws IOException {
    dropALogThatBeginsLate();
    for (boolean readOnly : new boolean[] {true, false}) {
      restore(files);
      Options with = options().recoveryMode(mode).build();
      assertThat(isRefused(with, readOnly, "the cut, read-only " + readOnly)).isTrue();
    }
    repairAndExpectNoDroppedWrite();
  }

  /** Only an open with another mode than that of the last one meets such logs. */
  @ParameterizedTest
  @EnumSource(RecoveryMode.class)
  void open_afterACut_ofLogsThatAnEarlierOpenDropped_isRefused(RecoveryMode mode)
      throws IOException {
    addDroppedLog();
    cutAfterALaterOpen();
    for (boolean readOnly : new boolean[] {true, false}) {
      restore(files);
      Options with = options().recoveryMode(mode).build();
      assertThat(isRefused(with, readOnly, "the cut, read-only " + readOnly)).isTrue();
    }
  }

  /** Opens the database, and returns the files after the incarnation, before the edit. */
  private Map<String, byte[]> killedBeforeTheEdit() throws IOException {
    restore(files);
    Map<String, byte[]> killed = new TreeMap<>();
    Env inMemory = env;
    env =
        new ForwardingEnv(inMemory) {
          @Override
          public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            if (to.endsWith("CHANGES")) {
              killed.clear();
              killed.putAll(read(inMemory));
            }
          }
        };
    DB.open(DIRECTORY, options().build()).close();
    assertThat(killed).isNotEmpty();
    return killed;
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryMode.class,
      names = {"TORN_WRITES", "POINT_IN_TIME", "CPP_COMPAT"})
  void open_afterACrashBeforeItsEdit_isRight(RecoveryMode mode) throws IOException {
    for (int crash = 0; crash < 2; crash++) {
      files = killedBeforeTheEdit();
      restore(files);
      Options with = options().recoveryMode(mode).build();
      assertThat(isRefused(with, true, "the crash, read-only")).isFalse();
      assertThat(isRefused(with, false, "the crash")).isFalse();
      restore(files);
      assertThat(isRefused(options().logRetention(null).build(), false, "no retention")).isFalse();
    }
    writeAndKill("s", false);
    restore(files);
    assertThat(isRefused(options().build(), false, "later writes")).isFalse();
  }

  /** With its option reuse_logs, C++ LevelDB writes no edit if it finds no records before. */
  @ParameterizedTest
  @ValueSource(strings = {"nothing", "the first log", "the second log"})
  void open_ofALogThatNoEditNamesAndAnotherProgramHasWritten_isRight(String cut)
      throws IOException {
    writeAndKill("s", true);
    restore(files);
    DB.open(DIRECTORY, options().build()).close(); // an incarnation without writes
    files = read(env);
    files = killedBeforeTheEdit();
    long last = synced.size();
    String log = lastLog(files);
    byte[] first = log(last + 1, "first");
    files.put(log, cut.equals("the first log") ? torn(first) : first);
    String next = later(log, 5);
    byte[] second = log(last + 2, "second");
    files.put(next, cut.equals("the second log") ? torn(second) : second);
    restore(files);
    try (ReadOnlyDB db = DB.openReadOnly(DIRECTORY, options().build())) {
      expectSynced(db, "another program, read-only");
    }
    try (DB db = DB.open(DIRECTORY, options().build())) {
      expectSynced(db, "another program");
      assertThat(db.get(bytes("first")) != null).isEqualTo(!cut.equals("the first log"));
      assertThat(db.get(bytes("second")) != null).isEqualTo(cut.equals("nothing"));
    }
  }

  private static byte[] torn(byte[] log) {
    return Arrays.copyOf(log, log.length - 1);
  }

  /** Returns the name of the log whose number is greater by {@code more}. */
  private static String later(String log, int more) {
    long number = Long.parseLong(log.substring(0, log.indexOf('.')));
    return FileNames.log(DIRECTORY, number + more).getFileName().toString();
  }
}

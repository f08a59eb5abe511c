package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.load.BulkLoader;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A MANIFEST that lost edits at its end. Bulk loads and range deletes are nowhere else, so an open
 * without their edits would undo what was acknowledged, and delete their tables.
 */
@Tag("one-jdk")
final class LostEditTest {
  private static final Path DIRECTORY = Path.of("/lost/db");
  private static final int SECTOR = 512;
  private static final int HEADER = 7;

  private final Env env = Env.inMemory();
  private Path manifest = DIRECTORY;
  private byte[] whole = {};
  private List<Integer> records = List.of();

  private Options.Builder options() {
    return Options.builder().env(env);
  }

  /** A put and a flush, three loads of 1,000 keys, and a range delete of the first key. */
  @BeforeEach
  void create() throws IOException {
    env.createDirectory(DIRECTORY.getParent());
    try (DB db = DB.open(DIRECTORY, options().createIfMissing(true).build())) {
      db.put(bytes("a"), bytes("1"));
      db.put(bytes("z"), bytes("2"));
      db.admin().flush();
      for (String prefix : List.of("l", "m", "n")) {
        try (BulkLoader loader = db.loads().bulkLoader()) {
          for (int i = 0; i < 1000; i++) {
            loader.put(bytes(prefix + (1000 + i)), bytes("v" + i));
          }
          loader.finish();
        }
      }
      db.deleteRange(bytes("a"), bytes("b"));
    }
    for (String name : env.list(DIRECTORY)) {
      if (name.startsWith("MANIFEST-")) {
        manifest = DIRECTORY.resolve(name);
      }
    }
    whole = EnvFiles.read(env, manifest);
    records = recordsOf(whole);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Returns the offsets of the records of a MANIFEST of one block. */
  static List<Integer> recordsOf(byte[] manifest) {
    List<Integer> offsets = new ArrayList<>();
    for (int at = 0; at + HEADER <= manifest.length; ) {
      offsets.add(at);
      at += HEADER + ((manifest[at + 4] & 0xff) | (manifest[at + 5] & 0xff) << 8);
    }
    return offsets;
  }

  private int fromEnd(int count) {
    return records.get(records.size() - count);
  }

  private Set<String> tables() throws IOException {
    Set<String> tables = new TreeSet<>(env.list(DIRECTORY));
    tables.removeIf(name -> !name.endsWith(".ldb"));
    return tables;
  }

  /** Expects that every kind of open refuses the MANIFEST, deletes nothing, and repair helps. */
  private void expectRefused(byte[] damaged) throws IOException {
    EnvFiles.write(env, manifest, damaged);
    Set<String> before = tables();
    for (RecoveryMode mode : RecoveryMode.values()) {
      for (boolean readOnly : new boolean[] {true, false}) {
        assertThatThrownBy(
                () -> {
                  Options with = options().recoveryMode(mode).build();
                  (readOnly ? DB.openReadOnly(DIRECTORY, with) : DB.open(DIRECTORY, with)).close();
                })
            .as("%s, read-only %s", mode, readOnly)
            .isInstanceOf(CorruptionException.class);
      }
    }
    assertThat(tables()).isEqualTo(before);
    DB.repair(DIRECTORY, options().build());
    try (DB db = DB.open(DIRECTORY, options().build())) {
      expectEntries(db);
    }
  }

  private static void expectEntries(DB db) {
    assertThat(db.get(bytes("a"))).isNull();
    assertThat(db.get(bytes("z"))).isEqualTo(bytes("2"));
    int count = 0;
    for (String prefix : List.of("l", "m", "n")) {
      for (int i = 0; i < 1000; i++) {
        assertThat(db.get(bytes(prefix + (1000 + i)))).isEqualTo(bytes("v" + i));
        count++;
      }
    }
    assertThat(count).isEqualTo(3000);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void open_afterABitOfALengthFlipped_isRefused(int record) throws IOException {
    byte[] damaged = whole.clone();
    damaged[fromEnd(record) + 5] ^= 1 << 4;
    expectRefused(damaged);
  }

  @ParameterizedTest
  @CsvSource({"1, 0", "1, 3", "1, 20", "2, 0", "3, 9", "4, 0", "4, 30"})
  void open_afterACut_isRefused(int record, int bytesOfIt) throws IOException {
    expectRefused(Arrays.copyOf(whole, fromEnd(record) + bytesOfIt));
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 2, 3, 4})
  void open_afterZeroesFromARecordOn_isRefused(int record) throws IOException {
    byte[] damaged = whole.clone();
    Arrays.fill(damaged, fromEnd(record), whole.length, (byte) 0);
    expectRefused(damaged);
  }

  @Test
  void open_afterAZeroedSector_isRefused() throws IOException {
    for (int at = 0; at < whole.length; at += SECTOR) {
      byte[] damaged = whole.clone();
      Arrays.fill(damaged, at, Math.min(at + SECTOR, whole.length), (byte) 0);
      EnvFiles.write(env, manifest, damaged);
      assertThatThrownBy(() -> DB.open(DIRECTORY, options().build()))
          .isInstanceOf(CorruptionException.class);
    }
  }

  @ParameterizedTest
  @EnumSource(
      value = RecoveryMode.class,
      names = {"TORN_WRITES", "STRICT"})
  void open_ofTheWholeManifest_hasEverything(RecoveryMode mode) {
    for (int i = 0; i < 3; i++) {
      try (DB db = DB.open(DIRECTORY, options().recoveryMode(mode).build())) {
        expectEntries(db);
        assertThat(db.admin().stats().recovery().reason()).isEmpty();
      }
    }
  }

  /** Without the proof: a database from before, or one whose log is empty. */
  @Test
  void open_afterALengthFlippedInTheEditOfAFlush_isRefused() throws IOException {
    Path other = DIRECTORY.resolveSibling("flushed");
    try (DB db = DB.open(other, options().createIfMissing(true).reuseLogs(true).build())) {
      db.put(bytes("a"), bytes("1"));
      db.admin().flush();
      db.put(bytes("b"), bytes("2"));
    }
    Path file = manifestIn(other);
    byte[] flipped = EnvFiles.read(env, file);
    List<Integer> starts = recordsOf(flipped);
    flipped[starts.get(starts.size() - 1) + 5] ^= 1 << 4;
    EnvFiles.write(env, file, flipped);
    assertThatThrownBy(() -> DB.open(other, options().build()))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("the length of a record is damaged");
  }

  private Path manifestIn(Path directory) throws IOException {
    return env.list(directory).stream()
        .filter(name -> name.startsWith("MANIFEST-"))
        .map(directory::resolve)
        .findFirst()
        .orElseThrow();
  }

  @Test
  void open_besideALaterManifest_isRefusedIfThatWasInUse() throws IOException {
    Path later = DIRECTORY.resolve("MANIFEST-000900");
    EnvFiles.write(env, later, Arrays.copyOf(whole, records.get(records.size() - 1)));
    assertThatThrownBy(() -> DB.open(DIRECTORY, options().build()))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("MANIFEST-000900 was in use");
    EnvFiles.write(env, later, Arrays.copyOf(whole, records.get(endOfBase())));
    try (DB db = DB.open(DIRECTORY, options().build())) {
      expectEntries(db);
    }
  }

  /** The base is the state and one edit. */
  private static int endOfBase() {
    return 2;
  }

  @Test
  void open_thatDropsAnInterruptedEdit_movesTablesThatNobodyNamesAside() throws IOException {
    String table = tables().iterator().next();
    EnvFiles.write(
        env, DIRECTORY.resolve("000900.ldb"), EnvFiles.read(env, DIRECTORY.resolve(table)));
    EnvFiles.write(env, DIRECTORY.resolve("000901.ldb"), bytes("not complete"));
    tearManifest();
    try (ReadOnlyDB db = DB.openReadOnly(DIRECTORY, options().build())) {
      assertThat(db.admin().stats().recovery().droppedBytes()).isEqualTo(20);
    }
    try (DB db = DB.open(DIRECTORY, options().build())) {
      expectEntries(db);
      assertThat(db.admin().stats().recovery().droppedBytes()).isEqualTo(20);
      assertThat(db.admin().stats().recovery().reason())
          .contains("20 bytes", "lost/", "000900.ldb");
    }
    assertThat(env.list(DIRECTORY.resolve("lost"))).containsExactly("000900.ldb");
    assertThat(tables()).doesNotContain("000900.ldb", "000901.ldb");
  }

  /** Appends the first 20 bytes of a record of 57. */
  private void tearManifest() throws IOException {
    byte[] torn = Arrays.copyOf(whole, whole.length + 20);
    torn[whole.length] = 1;
    torn[whole.length + 4] = 50;
    torn[whole.length + 6] = 1;
    torn[whole.length + 19] = 1;
    EnvFiles.write(env, manifest, torn);
  }

  @Test
  void open_thatDropsAnInterruptedEdit_movesATableThatItMayNotOpenAside() throws IOException {
    String table = tables().iterator().next();
    EnvFiles.write(
        env, DIRECTORY.resolve("000900.ldb"), EnvFiles.read(env, DIRECTORY.resolve(table)));
    tearManifest();
    Env refusing =
        new ForwardingEnv(env) {
          @Override
          public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
            if (file.endsWith("000900.ldb")) {
              throw new IOException("too many open files");
            }
            return super.openRandomAccess(file, map);
          }
        };
    try (DB db = DB.open(DIRECTORY, options().env(refusing).build())) {
      expectEntries(db);
    }
    assertThat(env.list(DIRECTORY.resolve("lost"))).containsExactly("000900.ldb");
  }
}

package dev.kv.core.db;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.backup.Backup;
import dev.kv.backup.Backups;
import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.core.Directories;
import dev.kv.core.db.ReleaseDirectory.Database;
import dev.kv.core.peer.Plyvel;
import dev.kv.space.Space;
import dev.kv.table.TableReader;
import dev.kv.ttl.TimeToLive;
import dev.kv.tuple.Tuples;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What each release of kv wrote is read by this build, as src-docs/compatibility.md promises.
 * {@code -Dkv.release.write=1.2.3} writes the directory of a release.
 */
class ReleasesTest extends DbTestBase {
  private static final Path RELEASES = Path.of("src/test/resources/releases");
  private static final ReadOptions CHECKED = ReadOptions.builder().verifyChecksums(true).build();
  private static final HexFormat HEX = HexFormat.of();

  static Stream<Path> releases() throws IOException {
    try (Stream<Path> found = Files.list(RELEASES)) {
      return found.sorted().toList().stream();
    }
  }

  static Stream<Arguments> databases() throws IOException {
    return releases()
        .flatMap(release -> Stream.of(Database.values()).map(each -> Arguments.of(release, each)));
  }

  @Test
  void write_release_isWrittenIfAskedFor() throws IOException {
    String version = System.getProperty("kv.release.write");
    assumeTrue(version != null, "only with -Dkv.release.write");
    ReleaseDirectory.write(RELEASES.resolve(version));
  }

  /** What this build writes is what it would find in its own release. */
  @Test
  void release_ofThisBuild_holdsItsDatabases() throws IOException {
    Path release = temp.resolve("new");
    ReleaseDirectory.write(release);
    for (Database database : Database.values()) {
      assertDatabase(release, database);
    }
  }

  @ParameterizedTest
  @MethodSource("databases")
  void database_ofARelease_holdsItsEntriesAndTakesWrites(Path release, Database database)
      throws IOException {
    assertDatabase(release, database);
  }

  private void assertDatabase(Path release, Database database) throws IOException {
    List<String> expected = Files.readAllLines(release.resolve(database.directory() + ".txt"));
    assertThat(expected).hasSizeGreaterThan(200);
    directory = Directories.copy(release.resolve(database.directory()), newDirectory());
    assertThat(Directories.files(directory, ".log")).anyMatch(log -> log.toFile().length() > 1000);
    try (ReadOnlyDB read = DB.openReadOnly(directory, database.options())) {
      assertEntries(read, expected);
    }
    open(database.options());
    assertEntries(db, expected);
    assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
    put("a new key", "a new value");
    reopen();
    delete("a new key");
    compact(null, null);
    assertEntries(db, expected);
    close();
    DB.repair(directory, database.options());
    open();
    assertEntries(db, expected);
    close();
  }

  private static void assertEntries(DBReader db, List<String> expected) {
    assertThat(ReleaseDirectory.entries(db)).isEqualTo(expected);
    List<String> backwards = new ArrayList<>();
    try (DBIterator cursor = db.iterator(CHECKED)) {
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        backwards.add(0, HEX.formatHex(cursor.key()) + " " + HEX.formatHex(cursor.value()));
      }
    }
    assertThat(backwards).isEqualTo(expected);
    for (String line : expected) {
      int space = line.indexOf(' ');
      assertThat(db.get(CHECKED, HEX.parseHex(line.substring(0, space))))
          .as(line)
          .isEqualTo(HEX.parseHex(line.substring(space + 1)));
    }
    assertThat(db.get(ReleaseDirectory.key(105))).isNull(); // in the deleted range
  }

  @ParameterizedTest
  @MethodSource("releases")
  void views_ofARelease_findTheirEntries(Path release) throws IOException {
    directory = Directories.copy(release.resolve("features"), newDirectory());
    open(Database.FEATURES.options());
    Space tuples = Space.of(db, ReleaseDirectory.TUPLES);
    assertThat(s(tuples.get(Tuples.pack(ReleaseDirectory.TUPLE))))
        .isEqualTo("a tuple of each type");
    List<Object> numbers = new ArrayList<>();
    try (DBIterator cursor = tuples.iterator()) {
      for (cursor.seek(Tuples.pack("number")); cursor.isValid(); cursor.next()) {
        List<Object> key = Tuples.unpack(cursor.key());
        if (key.get(0).equals("number")) {
          numbers.add(key.get(1));
        }
      }
    }
    assertThat(numbers).containsExactly(-3L, -2L, -1L, 0L, 1L, 2L);
    for (boolean expired : new boolean[] {false, true}) {
      Duration later = ReleaseDirectory.LIFE.plusMillis(expired ? 0 : -1);
      TimeToLive sessions =
          TimeToLive.of(
              Space.of(db, ReleaseDirectory.SESSIONS),
              Duration.ofDays(1),
              InstantSource.fixed(ReleaseDirectory.WRITTEN.plus(later)));
      assertThat(s(sessions.get(b("month")))).isEqualTo(expired ? NOT_FOUND : "for thirty days");
      assertThat(s(sessions.get(b("century")))).isEqualTo("for a hundred years");
    }
    assertThat(s(db.get(b("load/0099")))).isEqualTo("loaded 99");
    assertThat(s(db.get(b("ingest/0049")))).isEqualTo("ingested 49");
  }

  @ParameterizedTest
  @MethodSource("releases")
  void backups_ofARelease_areVerifiedAndRestored(Path release) throws IOException {
    Path copy = newDirectory();
    try (Stream<Path> files = Files.walk(release.resolve("backups"))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.copy(file, copy.resolve(release.resolve("backups").relativize(file).toString()));
      }
    }
    Backups backups = Backups.at(copy);
    List<Backup> found = backups.list();
    assertThat(found).hasSize(2);
    for (int i = 0; i < 2; i++) {
      long number = found.get(i).number();
      assertThat(backups.verify(number)).isEmpty();
      directory = newDirectory();
      backups.restore(number, directory);
      open(Database.FEATURES.options());
      assertEntries(db, Files.readAllLines(release.resolve("backup-" + (i + 1) + ".txt")));
      close();
    }
  }

  @ParameterizedTest
  @MethodSource("releases")
  void changes_ofARelease_goOnAtAPosition(Path release) throws Exception {
    directory = Directories.copy(release.resolve("feed"), newDirectory());
    open(Database.FEED.options());
    ChangePosition position =
        ChangePosition.parse(Files.readString(release.resolve("feed.position"), UTF_8));
    int operations = 0;
    long last = db.changes().position().sequence();
    try (Changes changes = db.changes().open(position)) {
      while (changes.position().sequence() < last) {
        ChangeGroup group = changes.take();
        operations += group.count();
      }
    }
    assertThat(operations).isEqualTo(100 + 1 + 3 + 1 + 2); // what ReleaseDirectory.log writes
  }

  @ParameterizedTest
  @MethodSource("releases")
  void table_ofARelease_isRead(Path release) {
    Options options = Database.FEATURES.options();
    int entries = 0;
    try (TableReader table = TableReader.open(release.resolve("table.ldb"), options);
        DBIterator cursor = table.iterator(CHECKED)) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        assertThat(s(cursor.key())).isEqualTo(String.format(Locale.ROOT, "entry %04d", entries));
        assertThat(s(cursor.value())).isEqualTo("of a table " + entries);
        entries++;
      }
    }
    assertThat(entries).isEqualTo(50);
  }

  @ParameterizedTest
  @MethodSource("databases")
  void database_ofARelease_isReadByCpp(Path release, Database database) throws Exception {
    assumeTrue(database != Database.REVERSE, "plyvel's orders are written in Python");
    assumeTrue(database != Database.ZSTD, "plyvel has no zstd");
    assumeTrue(Plyvel.isAvailable(), "Python has no plyvel");
    directory = Directories.copy(release.resolve(database.directory()), newDirectory());
    List<String> command = new ArrayList<>(Plyvel.command("/peer/peer.py"));
    command.addAll(
        List.of("read", directory.toString(), database == Database.FEATURES ? "bloom" : ""));
    Path output = temp.resolve("cpp.txt");
    Process reader =
        new ProcessBuilder(command)
            .redirectOutput(output.toFile())
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    assertThat(reader.waitFor()).isZero();
    assertThat(Files.readAllLines(output))
        .isEqualTo(Files.readAllLines(release.resolve(database.directory() + ".txt")));
  }

  private int directories;

  private Path newDirectory() {
    return temp.resolve("db" + directories++);
  }
}

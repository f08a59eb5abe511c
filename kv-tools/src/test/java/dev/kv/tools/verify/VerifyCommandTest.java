package dev.kv.tools.verify;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.tools.BusyWriter;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class VerifyCommandTest {
  @TempDir Path temp;

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bloom",
        "extremes",
        "killed",
        "log-only",
        "plain",
        "restart1",
        "restart128",
        "reused-logs",
        "snappy-levels",
        "snapshot-versions",
        "zstd"
      })
  void verify_fixture_isWholeAndUntouched(String name) throws IOException {
    Path dir = Fixtures.copy(name, temp);
    String before = Fixtures.listing(dir);
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
    assertThat(verify.out()).endsWith("whole\n").doesNotContain("damaged");
    assertThat(Fixtures.listing(dir)).isEqualTo(before);
  }

  @Test
  void verify_anotherComparator_asksForItsOption() throws IOException {
    String dir = Fixtures.copy("reverse-comparator", temp).toString();
    Cli without = Cli.run("verify", dir);
    assertThat(without.exitCode()).isEqualTo(1);
    assertThat(without.err()).contains("fixture.ReverseBytewise").contains("--comparator");
    assertThat(Cli.run("verify", dir, "--comparator", "reverse").exitCode()).isZero();
    Cli get = Cli.run("get", dir, "k");
    assertThat(get.err()).contains("--comparator").doesNotContain("Options.");
  }

  @Test
  void verify_wrongOrder_findsKeysOutOfOrder() throws IOException {
    String dir = Fixtures.copy("reverse-comparator", temp).toString();
    Cli compact = Cli.run("compact", dir, "--comparator", "reverse");
    assertThat(compact.exitCode()).as(compact.err()).isZero();
    Cli verify = Cli.run("verify", dir, "--comparator", "bytewise");
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).contains("out of order").contains("more damage");
    assertThat(verify.out().lines().count()).isLessThan(40);
  }

  /** A table of one entry with the properties of another: both have their checksums. */
  @Test
  void verify_propertiesThatAreNotOfTheEntries_areDamage() throws IOException {
    Path table = tableOfKv("one", 1);
    byte[] bytes = Files.readAllBytes(table);
    byte[] other = Files.readAllBytes(tableOfKv("other", 2));
    int from = blockOfProperties(table);
    int until = blockOfMetaindex(table);
    Path second = temp.resolve("other").resolve(table.getFileName());
    int otherFrom = blockOfProperties(second);
    assertThat(blockOfMetaindex(second) - otherFrom).isEqualTo(until - from);
    System.arraycopy(other, otherFrom, bytes, from, until - from);
    Files.write(table, bytes);
    Cli verify = Cli.run("verify", temp.resolve("one").toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.out())
        .contains("damaged: " + table.getFileName())
        .contains("its properties do not match its entries");
    Fixtures.damage(table, from + 3);
    assertThat(Cli.run("verify", temp.resolve("one").toString()).out()).contains("wrong checksum");
    assertThat(Cli.run("verify", temp.resolve("other").toString()).exitCode()).isZero();
  }

  private Path tableOfKv(String name, int entries) throws IOException {
    Path dir = temp.resolve(name);
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      for (int i = 0; i < entries; i++) {
        db.put(new byte[] {(byte) i}, new byte[] {1});
      }
      db.admin().flush();
    }
    try (Stream<Path> files = Files.list(dir)) {
      return files.filter(file -> file.toString().endsWith(".ldb")).findFirst().orElseThrow();
    }
  }

  private static int blockOfMetaindex(Path table) throws IOException {
    try (TableContents contents = new TableContents(Env.fileSystem(), table)) {
      return (int) contents.footer().metaindex().offset();
    }
  }

  private static int blockOfProperties(Path table) throws IOException {
    try (TableContents contents = new TableContents(Env.fileSystem(), table)) {
      return (int) contents.readHandles(contents.footer().metaindex()).get(0).handle().offset();
    }
  }

  @Test
  void verify_bytesOfEachPartOfATable_areCoveredByAChecksum() throws IOException {
    Path dir = Fixtures.copy("bloom", temp);
    Path table = dir.resolve("000011.ldb");
    long size = Files.size(table);
    // The footer ends in zeros that nothing reads, before its magic number.
    long padding = size - 8;
    for (long offset = 0; offset < size; offset += offset < size - 64 ? 499 : 1) {
      if (offset >= size - 30 && offset < padding) {
        continue;
      }
      Fixtures.damage(table, offset);
      Cli verify = Cli.run("verify", dir.toString());
      assertThat(verify.exitCode()).as("byte %d: %s", offset, verify.out()).isEqualTo(1);
      assertThat(verify.out()).contains("damaged: 000011.ldb");
      Fixtures.damage(table, offset);
    }
    assertThat(Cli.run("verify", dir.toString()).exitCode()).isZero();
  }

  @ParameterizedTest
  @CsvSource({
    "log-only, 000003.log, 20, checksum mismatch",
    "plain, MANIFEST-000002, 15, checksum mismatch"
  })
  void verify_damagedRecord_isNamedWithItsOffset(
      String name, String file, long offset, String reason) throws IOException {
    Path dir = Fixtures.copy(name, temp);
    Fixtures.damage(dir.resolve(file), offset);
    Cli verify = Cli.run("verify", dir.toString(), "--json");
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out())
        .startsWith("{\"whole\":false,")
        .contains("{\"damage\":true,\"file\":\"" + file + "\",\"offset\":0,\"text\":\"" + reason)
        .hasLineCount(1);
  }

  @Test
  void verify_tornEndOfLog_isANoteAndNoDamage() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    Path log = dir.resolve("000003.log");
    byte[] bytes = Files.readAllBytes(log);
    Files.write(log, java.util.Arrays.copyOf(bytes, bytes.length - 3));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out()).contains("note: 000003.log, offset ").contains("cut off");
  }

  /** The number of the last operation is past the greatest long. */
  @Test
  void verify_logWithASequenceNumberNearTheGreatestLong_isDamage() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    ByteBuffer batch = ByteBuffer.allocate(20).order(ByteOrder.LITTLE_ENDIAN);
    batch.putLong(Long.MAX_VALUE).putInt(2);
    batch.put(new byte[] {1, 1, 'k', 0, 1, 1, 'l', 0});
    Files.write(dir.resolve("000003.log"), Fixtures.record(batch.array()));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out())
        .contains("000003.log, offset 0: sequence number 9223372036854775807 is beyond 2^56");
  }

  /** An open takes the records after it, and so do all commands that read the log. */
  @Test
  void verify_sequenceNumberThatNoKeyCanHold_isTheDamageOfItsRecordAlone() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    Path log = dir.resolve("000003.log");
    int size = Fixtures.record(put(1)).length;
    ByteBuffer records = ByteBuffer.allocate(3 * size);
    for (long sequence : new long[] {1, Long.MAX_VALUE, 2}) {
      records.put(Fixtures.record(put(sequence)));
    }
    Files.write(log, records.array());
    String damage = "sequence number 9223372036854775807 is beyond 2^56";
    Cli verify = Cli.run("dump", "--verify", log.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out())
        .isEqualTo(
            "damaged: " + log + ", offset " + size + ": " + damage + "\n" + log + ": DAMAGED\n");
    Cli dump = Cli.run("dump", log.toString());
    assertThat(dump.exitCode()).isEqualTo(1);
    assertThat(dump.out()).contains("damage offset=" + size + " text='" + damage + "'");
    Cli scan = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(scan.exitCode()).isEqualTo(1);
    assertThat(scan.err()).contains("000003.log, offset " + size + ": " + damage);
  }

  private static byte[] put(long sequence) {
    ByteBuffer batch = ByteBuffer.allocate(16).order(ByteOrder.LITTLE_ENDIAN);
    return batch.putLong(sequence).putInt(1).put(new byte[] {1, 1, 'k', 0}).array();
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain", "log-only", "reused-logs"})
  void verify_emptyManifest_isDamageAndCallsNoFileUnused(String name) throws IOException {
    Path dir = Fixtures.copy(name, temp);
    Files.write(dir.resolve(manifest(dir)), new byte[0]);
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out() + verify.err()).isEqualTo(1);
    assertThat(verify.out())
        .contains("damaged: " + manifest(dir) + ": an open refuses it: no edit sets")
        .doesNotContain("is not in use");
    assertThat(Cli.run("levels", dir.toString()).exitCode()).isEqualTo(1);
  }

  @Test
  @Tag("slow")
  void verify_anyFlippedBitOfTheManifest_agreesWithOpen() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Path manifest = dir.resolve("MANIFEST-000002");
    byte[] whole = Files.readAllBytes(manifest);
    int refused = 0;
    int step = Boolean.getBoolean("kv.long") ? 1 : 9; // one bit of almost each byte
    for (int bit = 0; bit < 8 * whole.length; bit += step) {
      byte[] flipped = whole.clone();
      flipped[bit / 8] ^= (byte) (1 << bit % 8);
      Files.write(manifest, flipped);
      boolean opens = opens(dir);
      Cli verify = Cli.run("verify", dir.toString());
      if (!opens) {
        refused++;
        assertThat(verify.exitCode()).as("bit %d: %s", bit, verify.out()).isEqualTo(1);
        assertThat(verify.out()).contains("damaged: ").doesNotContain("is not in use");
      } else {
        assertThat(verify.exitCode()).as("bit %d: %s", bit, verify.out()).isZero();
      }
    }
    assertThat(refused).isPositive();
  }

  private static boolean opens(Path dir) {
    try {
      DB.openReadOnly(dir, Options.DEFAULT).close();
      return true;
    } catch (DBException refused) {
      return false;
    }
  }

  private static String manifest(Path dir) throws IOException {
    return Files.readString(dir.resolve("CURRENT")).strip();
  }

  @Test
  void verify_olderOfTwoLogsCut_isDamage() throws IOException {
    Path dir = twoLogs();
    Path older = logs(dir).get(0);
    byte[] bytes = Files.readAllBytes(older);
    Files.write(older, java.util.Arrays.copyOf(bytes, bytes.length - 3));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.out())
        .contains("damaged: " + older.getFileName())
        .containsPattern("an open drops \\d+ bytes of records: the log ends inside a record");
  }

  @Test
  void verify_newerOfTwoLogsCut_isANote() throws IOException {
    Path dir = twoLogs();
    Path newer = logs(dir).get(1);
    byte[] bytes = Files.readAllBytes(newer);
    Files.write(newer, java.util.Arrays.copyOf(bytes, bytes.length - 3));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out()).contains("note: " + newer.getFileName());
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void verify_missingLog_isDamage(int lost) throws IOException {
    Path dir = twoLogs();
    Path log = logs(dir).get(lost);
    Files.delete(log);
    Cli verify = Cli.run("verify", dir.toString());
    if (lost == 0) {
      assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
      assertThat(verify.out())
          .containsOnlyOnce("damaged: " + log.getFileName() + ": is missing, but the MANIFEST");
    } else {
      // The MANIFEST names the oldest log only: nothing tells that there was a newer one.
      assertThat(verify.exitCode()).as(verify.out()).isZero();
    }
  }

  @Test
  void verify_onlyLogMissing_isDamageThoughAnOpenDoesNotMissIt() throws IOException {
    Path dir = twoLogs();
    for (Path log : logs(dir)) {
      Files.delete(log);
    }
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.out()).contains("is missing, but the MANIFEST needs it");
  }

  /** Returns a database whose last entries are in two logs, both of them needed. */
  private Path twoLogs() throws IOException {
    Path dir = temp.resolve("two-logs");
    Options options = Options.builder().createIfMissing(true).build();
    try (DB db = DB.open(dir, options)) {
      db.put(new byte[] {1}, new byte[100]);
      db.admin().flush();
      db.put(new byte[] {2}, new byte[100]);
    }
    Path older = logs(dir).get(0);
    Path other = temp.resolve("other");
    try (DB db = DB.open(other, options)) {
      db.put(new byte[] {1}, new byte[100]);
      db.put(new byte[] {1}, new byte[100]);
      db.admin().flush();
      db.put(new byte[] {3}, new byte[100]);
    }
    // The second database's log holds the sequence number that follows.
    long number = Long.parseLong(older.getFileName().toString().replace(".log", ""));
    Files.copy(
        logs(other).get(0), dir.resolve(String.format(Locale.ROOT, "%06d.log", number + 10)));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out()).contains("2 logs, 2 batches");
    return dir;
  }

  private static List<Path> logs(Path dir) throws IOException {
    try (var files = Files.list(dir)) {
      return files.filter(file -> file.toString().endsWith(".log")).sorted().toList();
    }
  }

  @Test
  void verify_twoTablesOfOneSizeExchanged_isDamageOfBoth() throws IOException {
    Path dir = temp.resolve("exchanged");
    Options options =
        Options.builder()
            .createIfMissing(true)
            .compression(dev.kv.options.CompressionType.NONE)
            .build();
    try (DB db = DB.open(dir, options)) {
      for (String keys : List.of("ab", "cd")) {
        for (char key : keys.toCharArray()) {
          db.put(new byte[] {(byte) key}, new byte[100]);
        }
        db.admin().flush();
      }
    }
    List<Path> tables;
    try (var files = Files.list(dir)) {
      tables = files.filter(file -> file.toString().endsWith(".ldb")).sorted().toList();
    }
    assertThat(tables).hasSize(2);
    assertThat(Files.size(tables.get(0))).isEqualTo(Files.size(tables.get(1)));
    Path aside = temp.resolve("aside");
    Files.move(tables.get(0), aside);
    Files.move(tables.get(1), tables.get(0));
    Files.move(aside, tables.get(1));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    for (Path table : tables) {
      assertThat(verify.out())
          .contains("damaged: " + table.getFileName() + ": its first key is ")
          .contains("damaged: " + table.getFileName() + ": its last key is ");
    }
  }

  @Test
  void verify_missingTableAndCurrent_areDamage() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.delete(dir.resolve("000005.ldb"));
    assertThat(Cli.run("verify", dir.toString()).out()).contains("000005.ldb: is missing");
    Files.delete(dir.resolve("CURRENT"));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).contains("CURRENT: is missing");
  }

  /** A repair refuses such a table, but moves such a log away. */
  @ParameterizedTest
  @ValueSource(strings = {"000005.ldb", "000005.sst", "000004.log"})
  @DisabledOnOs(OS.WINDOWS)
  void verify_linkThatLeadsToNothing_isNamed(String name) throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.delete(dir.resolve(name.replace(".sst", ".ldb")));
    Files.createSymbolicLink(dir.resolve(name), Path.of("nowhere"));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out())
        .contains("damaged: " + name + ": is a symbolic link that leads to nothing")
        .doesNotContain("Exception");
    Cli repair = Cli.run("repair", dir.toString(), "--dry-run");
    if (name.endsWith(".log")) {
      assertThat(verify.out()).contains("DAMAGED: 'kv repair' makes it open again");
      assertThat(repair.exitCode()).as(repair.err()).isZero();
    } else {
      assertThat(verify.out()).contains("DAMAGED: 'kv repair' refuses ").hasLineCount(3);
      assertThat(repair.exitCode()).isEqualTo(1);
    }
    assertThat(Cli.run("verify", dir.toString(), "--json").out())
        .contains("\"file\":\"" + name + "\"")
        .doesNotContain("Exception");
  }

  @Test
  void verify_logOfZerosBeforeALogWithRecords_isNoted() throws IOException {
    Path dir = Fixtures.copy("log-only", temp);
    Path log = dir.resolve("000003.log");
    Files.copy(log, dir.resolve("000099.log"));
    assertThat(Cli.run("verify", dir.toString()).out()).doesNotContain("but no record");
    Files.write(log, new byte[(int) Files.size(log)]);
    assertThat(Cli.run("verify", dir.toString()).out())
        .contains("note: 000003.log: has bytes but no record, and a later log has records");
  }

  @Test
  void verify_editThatDeletesTablesDamaged_doesNotCallThemLost() throws IOException {
    Path dir = Fixtures.copy("zstd", temp);
    Fixtures.damage(dir.resolve("MANIFEST-000002"), 240);
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out())
        .contains("damaged: MANIFEST-000002, offset 198: checksum mismatch")
        .contains("000005.ldb: is missing, unless a damaged edit has deleted it\n");
  }

  @Test
  void verify_tableLongerThanTheManifestSays_isDamage() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.write(dir.resolve("000005.ldb"), new byte[7], StandardOpenOption.APPEND);
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).contains("but the MANIFEST says");
  }

  /** As iq80 writes it; the one table of this MANIFEST has 4 bytes more there than on disk. */
  @Test
  void verify_tableFourBytesShorterThanTheManifestSays_isWholeIfItHasItsEnd() throws IOException {
    Path dir = temp.resolve("iq80");
    Trees.write(dir, List.of(new Trees.Table(1, 5, List.of(new Trees.Entry("k", 3, "v")))), 4);
    Files.createFile(dir.resolve("000003.log"));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out())
        .contains("note: 000005.ldb", "but the MANIFEST says", "as iq80 does of a whole table")
        .endsWith("whole\n");
    Fixtures.damage(dir.resolve("000005.ldb"), Files.size(dir.resolve("000005.ldb")) - 1);
    Cli damaged = Cli.run("verify", dir.toString());
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.out()).contains("bad magic number", "but the MANIFEST says");
  }

  @Test
  void verify_newerVersionInADeeperLevel_isDamage() throws IOException {
    Path dir = temp.resolve("levels");
    Trees.write(
        dir,
        List.of(
            new Trees.Table(
                1, 5, List.of(new Trees.Entry("k", 3, "old"), new Trees.Entry("l", 9, "x"))),
            new Trees.Table(2, 6, List.of(new Trees.Entry("k", 7, "new")))));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.err()).isEqualTo(1);
    assertThat(verify.out())
        .contains("level 1 holds 'k' @ 3 : 1, but the newer 'k' @ 7 : 1 lies in level 2");
  }

  @Test
  void verify_keysWithoutSequenceNumbers_areDamage() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Files.delete(dir.resolve("000005.ldb"));
    try (var writer = dev.kv.table.TableWriter.create(dir.resolve("000005.ldb"), Options.DEFAULT)) {
      writer.put("key".getBytes(), "value".getBytes());
      writer.finish();
    }
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.err()).isEmpty();
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).contains("a key without sequence number and type: key");
  }

  @Test
  void verify_besideAWriter_findsNoDamage() throws Exception {
    Path dir = temp.resolve("busy");
    try (BusyWriter writer = new BusyWriter(dir)) {
      for (int i = 0; i < 10; i++) {
        Cli verify = Cli.run("verify", dir.toString());
        assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
      }
    }
  }

  @Test
  void run_besideAWriterThatDeletesTables_saysHowMany() throws IOException {
    Path dir = temp.resolve("deleted");
    DB db = DB.open(dir, Options.builder().createIfMissing(true).build());
    for (int i = 0; i < 3; i++) {
      db.put(new byte[] {1}, new byte[] {(byte) i});
      db.admin().flush();
    }
    AtomicBoolean merged = new AtomicBoolean();
    Verifier verifier =
        new Verifier(
            dir,
            dev.kv.bytes.DBComparator.bytewise(),
            (key, value) -> {
              if (merged.compareAndSet(false, true)) {
                db.admin().compactRange(null, null);
                db.close();
              }
            });
    verifier.run();
    assertThat(verifier.isWhole()).isTrue();
    assertThat(verifier.deletedMeanwhile()).isEqualTo(2);
    assertThat(verifier.findings())
        .anySatisfy(
            note ->
                assertThat(note.line())
                    .contains("2 of 3 tables were deleted by the process that writes"));
  }

  @Test
  void verify_databaseOfRocksDb_isUnsupportedAndNamesNoRepair() throws IOException {
    Path dir = temp.resolve("rocks");
    Path manifest = dir.resolve("MANIFEST-000002");
    Trees.write(dir, List.of());
    Files.write(manifest, Fixtures.record(new byte[] {2, 0, (byte) 200, 1, 1, 0}));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.err()).isEmpty();
    assertThat(verify.out())
        .startsWith("unsupported: MANIFEST-000002, offset 0: ")
        .endsWith("\nUNSUPPORTED: this is a RocksDB database; open it with RocksDB\n")
        .doesNotContain("repair", "damaged", "DAMAGED");
    assertThat(Cli.run("verify", dir.toString(), "--json").out())
        .contains("\"whole\":false", "\"unsupported\":true");
    assertThat(Cli.run("dump", "--verify", manifest.toString()).out())
        .endsWith("MANIFEST-000002: UNSUPPORTED\n");
    Cli report = Cli.run("report", dir.toString(), "-o", "-");
    assertThat(report.exitCode()).isEqualTo(1);
    assertThat(report.out())
        .contains("open it with RocksDB.", "verify: unsupported")
        .doesNotContain("kv repair", "is damaged");
  }

  @Test
  void verify_overlapInALevel_isDamage() throws IOException {
    Path dir = temp.resolve("levels");
    Trees.write(
        dir,
        List.of(
            new Trees.Table(
                1, 5, List.of(new Trees.Entry("a", 3, "1"), new Trees.Entry("m", 4, "2"))),
            new Trees.Table(1, 6, List.of(new Trees.Entry("k", 7, "3")))));
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.err()).isEmpty();
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).contains("level 1: table 6 overlaps table 5");
  }

  /** Trees that an engine would not make. */
  private static final class Trees {
    /** Bytewise, and the keys of the index are keys of the table, with their tags. */
    private static final Options UNSHORTENED =
        Options.builder()
            .comparator(
                dev.kv.bytes.DBComparator.ofArrays("test", java.util.Arrays::compareUnsigned))
            .build();

    record Entry(String key, long sequence, String value) {}

    record Table(int level, long number, List<Entry> entries) {}

    static void write(Path dir, List<Table> tables) throws IOException {
      write(dir, tables, 0);
    }

    /** The MANIFEST gives the tables {@code excess} bytes more than they have. */
    static void write(Path dir, List<Table> tables, int excess) throws IOException {
      Files.createDirectories(dir);
      try (var manifest = Files.newOutputStream(dir.resolve("MANIFEST-000002"))) {
        var edit =
            dev.kv.core.version.VersionEdit.builder()
                .comparatorName("leveldb.BytewiseComparator")
                .logNumber(3)
                .nextFileNumber(9)
                .lastSequence(100);
        for (Table table : tables) {
          FileMetadata file = write(dir, table);
          edit.addFile(table.level(), file.ofSize(file.size() + excess));
        }
        manifest.write(Fixtures.record(dev.kv.core.version.VersionEditCodec.encode(edit.build())));
      }
      Files.writeString(dir.resolve("CURRENT"), "MANIFEST-000002\n");
    }

    private static FileMetadata write(Path dir, Table table) throws IOException {
      Path file = dir.resolve(String.format(Locale.ROOT, "%06d.ldb", table.number()));
      byte[] smallest = null;
      byte[] largest = {};
      try (var writer = dev.kv.table.TableWriter.create(file, UNSHORTENED)) {
        for (Entry entry : table.entries()) {
          largest = InternalKey.encode(entry.key().getBytes(), entry.sequence(), ValueKind.VALUE);
          smallest = smallest == null ? largest : smallest;
          writer.put(largest, entry.value().getBytes());
        }
        writer.finish();
      }
      return new FileMetadata(table.number(), Env.fileSystem().size(file), smallest, largest);
    }
  }
}

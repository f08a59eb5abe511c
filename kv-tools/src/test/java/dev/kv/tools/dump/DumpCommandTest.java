package dev.kv.tools.dump;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.inspect.RecordReader;
import dev.kv.env.Env;
import dev.kv.table.TableWriter;
import dev.kv.tools.BusyWriter;
import dev.kv.tools.Cli;
import dev.kv.tools.Fixtures;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

class DumpCommandTest {
  @TempDir Path temp;

  @Test
  void table_cppWithFilter_showsEveryPart() throws IOException {
    Path table = Fixtures.copy("bloom", temp).resolve("000011.ldb");
    Cli dump = Cli.run("dump", "--entries", table.toString());
    assertThat(dump.exitCode()).as(dump.err()).isZero();
    assertThat(dump.out().lines())
        .contains(
            "footer offset=33900 metaindexOffset=33311 metaindexBytes=50 indexOffset=33366"
                + " indexBytes=529 magic='db4775248b80fb57'",
            "filter offset=31337 bytes=1969 storedBytes=1969 compression='none'"
                + " checksum='5fa08756' policy='leveldb.BuiltinBloomFilter2'",
            "  filters count=16 baseLog=11 bytes=1900",
            "block offset=0 bytes=4153 storedBytes=1212 compression='snappy' checksum='0c9fcd09'"
                + " restarts=4 until='user:1048'",
            "properties blocks=27 entries=1500 tombstones=0 rawBytes=109300 storedBytes=31202")
        .anyMatch(line -> line.startsWith("  put sequence=11 key='user:10' value='the quick"))
        .noneMatch(line -> line.startsWith("damage"));
    assertThat(dump.out().lines().filter(line -> line.startsWith("  put "))).hasSize(1500);
  }

  @Test
  void table_ofKv_showsItsProperties() throws IOException {
    Path dir = temp.resolve("kv");
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      db.put(new byte[] {'a'}, new byte[] {'1'});
      db.delete(new byte[] {'b'});
      db.admin().flush();
    }
    Path table;
    try (Stream<Path> files = Files.list(dir)) {
      table = files.filter(file -> file.toString().endsWith(".ldb")).findFirst().orElseThrow();
    }
    Cli dump = Cli.run("dump", "--entries", table.toString());
    assertThat(dump.exitCode()).as(dump.err()).isZero();
    assertThat(dump.out())
        .contains("name='kv.properties'\n")
        .containsPattern(
            "  stored-properties entries=2 tombstones=1 leastSequence=1 greatestSequence=2"
                + " writtenAt=\\d{10} comparator='leveldb.BytewiseComparator'\n")
        .doesNotContain("damage");
  }

  @Test
  void manifest_cpp_showsEditsFieldByField() throws IOException {
    Path manifest = Fixtures.copy("bloom", temp).resolve("MANIFEST-000002");
    Cli dump = Cli.run("dump", "--entries", manifest.toString());
    assertThat(dump.exitCode()).isZero();
    assertThat(dump.out().lines())
        .contains(
            "edit offset=0 bytes=28",
            "  comparator name='leveldb.BytewiseComparator'",
            "  lastSequence number=1500",
            "  compactPointer level=0 key='user:1499' sequence=1500",
            "  deletedFile level=1 number=7",
            "  newFile level=2 number=5 bytes=13998 smallest='user:0' smallestSequence=1"
                + " largest='user:99' largestSequence=100")
        .endsWith("end offset=377 bytesAfter=0 end='record'");
  }

  @Test
  void log_json_isOneObjectALine() throws IOException {
    Path log = Fixtures.copy("log-only", temp).resolve("000003.log");
    Cli dump = Cli.run("dump", "--entries", log.toString(), "--format", "json");
    assertThat(dump.exitCode()).isZero();
    assertThat(dump.out().lines())
        .allMatch(line -> line.startsWith("{\"type\":\"") && line.endsWith("}"))
        .contains(
            "{\"type\":\"batch\",\"offset\":0,\"bytes\":23,\"sequence\":1,\"count\":1}",
            "{\"type\":\"put\",\"sequence\":1,\"key\":\"k0\",\"value\":\"the qu\"}")
        .anyMatch(line -> line.startsWith("{\"type\":\"delete\",\"sequence\":"));
  }

  @ParameterizedTest
  @CsvSource({
    "plain, 000005.ldb, 20, offset=0 text='a block with a wrong checksum'",
    "log-only, 000003.log, 20, offset=0 text='checksum mismatch'",
    "bloom, MANIFEST-000002, 15, offset=0 text='checksum mismatch'",
    "bloom, 000011.ldb, 33370, offset=33366 text='a block with a wrong checksum'",
    "bloom, 000011.ldb, 33945, offset=33900 text='not a table: bad magic number'",
    "bloom, CURRENT, 3, offset=0 text='CURRENT does not name a MANIFEST'"
  })
  void anyFile_damaged_isShownAndExitsOne(String name, String file, long offset, String damage)
      throws IOException {
    Path path = Fixtures.copy(name, temp).resolve(file);
    Fixtures.damage(path, offset);
    Cli dump = Cli.run("dump", "--entries", path.toString());
    assertThat(dump.exitCode()).isEqualTo(1);
    assertThat(dump.out()).contains("\ndamage " + damage);
    assertThat(dump.err()).isEmpty();
    Cli verify = Cli.run("dump", "--verify", path.toString());
    assertThat(verify.exitCode()).isEqualTo(1);
    assertThat(verify.out()).startsWith("damaged: ").endsWith(": DAMAGED\n");
  }

  /** A length that points after the last block looks like a write that a crash cut off. */
  @Test
  void log_withADamagedLength_isDamagedByTheRecordsAfterIt() throws IOException {
    Path log = Fixtures.copy("log-only", temp).resolve("000003.log");
    byte[] bytes = Files.readAllBytes(log);
    bytes[5] |= (byte) 0x80;
    Files.write(log, bytes);
    String damage = "whole records follow the torn write at 0";
    Cli verify = Cli.run("dump", "--verify", log.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.out()).contains(damage);
    Cli dump = Cli.run("dump", "--entries", log.toString());
    assertThat(dump.exitCode()).as(dump.out()).isEqualTo(1);
    assertThat(dump.out()).containsOnlyOnce(damage);
    Cli scan = Cli.run("scan", log.getParent().toString(), "--all-versions");
    assertThat(scan.exitCode()).as(scan.err()).isEqualTo(1);
    assertThat(scan.err()).containsOnlyOnce(damage);
  }

  /** An open refuses it, too: a crash can cut off the last edit only. */
  @Test
  void manifest_withADamagedLength_isDamaged() throws IOException {
    Path manifest = Fixtures.copy("bloom", temp).resolve("MANIFEST-000002");
    byte[] bytes = Files.readAllBytes(manifest);
    bytes[5] |= (byte) 0x40;
    Files.write(manifest, bytes);
    String damage = "offset 0: the length of a record is damaged: 16412 instead of 28";
    Cli verify = Cli.run("dump", "--verify", manifest.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.out()).contains(damage).doesNotContain("a crash cut off");
    Cli dump = Cli.run("dump", "--entries", manifest.toString());
    assertThat(dump.exitCode()).as(dump.out()).isEqualTo(1);
    assertThat(dump.out()).contains("damage offset=0 text='the length of a record is damaged: ");
    Cli database = Cli.run("verify", manifest.getParent().toString());
    assertThat(database.exitCode()).as(database.out()).isEqualTo(1);
    assertThat(database.out()).contains(damage).doesNotContain("a crash cut off");
  }

  /** An open needs at least one edit. */
  @Test
  void manifest_withoutEdits_isDamaged() throws IOException {
    Path manifest = Files.createFile(temp.resolve("MANIFEST-000002"));
    Cli verify = Cli.run("dump", "--verify", manifest.toString());
    assertThat(verify.exitCode()).as(verify.out()).isEqualTo(1);
    assertThat(verify.out())
        .contains("its edits do not set all that an open needs")
        .doesNotContain("whole");
    Cli dump = Cli.run("dump", manifest.toString());
    assertThat(dump.exitCode()).as(dump.out()).isEqualTo(1);
    assertThat(dump.out()).contains("its edits do not set all that an open needs");
  }

  @Test
  void manifest_cutInItsLastEdit_isNotDamaged() throws IOException {
    Path manifest = Fixtures.copy("bloom", temp).resolve("MANIFEST-000002");
    byte[] bytes = Files.readAllBytes(manifest);
    Files.write(manifest, Arrays.copyOf(bytes, bytes.length - 3));
    Cli verify = Cli.run("dump", "--verify", manifest.toString());
    assertThat(verify.exitCode()).as(verify.out()).isZero();
    assertThat(verify.out()).contains("a crash cut off");
    assertThat(Cli.run("dump", manifest.toString()).exitCode()).isZero();
  }

  /** Loss of power can leave a sector of the last edit as it was. */
  @Test
  void manifest_withAnUnwrittenSectorInItsLastEdit_isNotDamaged() throws IOException {
    Path manifest = Fixtures.copy("bloom", temp).resolve("MANIFEST-000002");
    byte[] edit = new byte[1200];
    Arrays.fill(edit, (byte) 7);
    byte[] torn = concat(Files.readAllBytes(manifest), Fixtures.record(edit));
    Arrays.fill(torn, 512, 1024, (byte) 0);
    Files.write(manifest, torn);
    assertThat(Cli.run("verify", manifest.getParent().toString()).exitCode()).isZero();
    assertThat(Cli.run("dump", "--verify", manifest.toString()).exitCode()).isZero();
    Cli dump = Cli.run("dump", manifest.toString());
    assertThat(dump.exitCode()).as(dump.out()).isZero();
    assertThat(dump.out())
        .contains("damage offset=377 text='checksum mismatch' ", "torn=true", "end='torn'");
    byte[] block = Arrays.copyOf(torn, 32 << 10);
    Files.write(manifest, concat(block, Fixtures.record(edit)));
    assertThat(Cli.run("verify", manifest.getParent().toString()).exitCode()).isEqualTo(1);
    Cli followed = Cli.run("dump", manifest.toString());
    assertThat(followed.exitCode()).as(followed.out()).isEqualTo(1);
    assertThat(followed.out())
        .contains("damage offset=32768 text='whole edits follow the torn one at 377: ");
  }

  @Test
  void current_underAnotherName_isTheOneThatIsRead() throws IOException {
    Path current = Fixtures.copy("bloom", temp).resolve("CURRENT");
    Path saved = Files.copy(current, current.resolveSibling("CURRENT.saved"));
    Fixtures.damage(saved, 3);
    for (List<String> options : List.of(List.<String>of(), List.of("--verify"))) {
      List<String> words = new ArrayList<>(List.of("dump", "--kind=current", saved.toString()));
      words.addAll(options);
      Cli cli = Cli.run(words.toArray(String[]::new));
      assertThat(cli.exitCode()).as(cli.out()).isEqualTo(1);
      assertThat(cli.out()).contains("CURRENT does not name a MANIFEST");
    }
    Files.copy(current, saved, StandardCopyOption.REPLACE_EXISTING);
    Files.delete(current);
    Cli whole = Cli.run("dump", "--kind=current", saved.toString());
    assertThat(whole.exitCode()).as(whole.err()).isZero();
    assertThat(whole.out()).contains("manifest='MANIFEST-");
  }

  @Test
  void table_damagedBlock_continuesAfterIt() throws IOException {
    Path table = Fixtures.copy("plain", temp).resolve("000005.ldb");
    long whole = Cli.run("dump", "--entries", table.toString()).out().lines().count();
    Fixtures.damage(table, 5000);
    List<String> lines = Cli.run("dump", "--entries", table.toString()).out().lines().toList();
    assertThat(lines).hasSizeGreaterThan((int) (whole * 2 / 3));
    int damage =
        lines.indexOf(lines.stream().filter(l -> l.startsWith("damage")).findFirst().get());
    assertThat(lines.subList(damage + 1, lines.size())).anyMatch(line -> line.startsWith("block "));
  }

  @ParameterizedTest
  @Tag("slow")
  @EnumSource(DumpFormat.class)
  void table_damagedAnywhere_losesNoMoreThanThatBlock(DumpFormat format) throws IOException {
    Path table = Fixtures.copy("bloom", temp).resolve("000011.ldb");
    byte[] whole = Files.readAllBytes(table);
    String option = "--format=" + format;
    String entry = format == DumpFormat.TEXT ? "  put " : "{\"type\":\"put\"";
    List<String> all = entries(Cli.run("dump", "--entries", option, table.toString()), entry);
    assertThat(all).hasSize(1500);
    for (int at = 0; at < whole.length; at += at < 33_000 ? 1499 : 61) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 0x10;
      Files.write(table, damaged);
      Cli dump = Cli.run("dump", "--entries", option, table.toString());
      if (dump.exitCode() == 0) {
        assertThat(at).as("only the padding of the footer means nothing").isGreaterThan(33_900);
        continue;
      }
      assertThat(dump.err()).isEmpty();
      assertThat(dump.out()).contains(format == DumpFormat.TEXT ? "\ndamage offset=" : "damage");
      List<String> shown = entries(dump, entry);
      assertThat(all).as("flip at %d", at).containsAll(shown);
      assertThat(shown).as("flip at %d", at).hasSizeGreaterThan(at < 31_337 ? 1350 : 1499);
    }
  }

  private static List<String> entries(Cli dump, String beginning) {
    return dump.out().lines().filter(line -> line.startsWith(beginning)).toList();
  }

  @Test
  void table_indexAndBlocksDamaged_showsTheRestAndEveryGap() throws IOException {
    Path table = Fixtures.copy("bloom", temp).resolve("000011.ldb");
    Fixtures.damage(table, 2000);
    Fixtures.damage(table, 33_370);
    List<String> lines = Cli.run("dump", "--entries", table.toString()).out().lines().toList();
    assertThat(lines)
        .containsSubsequence(
            "damage offset=33366 text='a block with a wrong checksum'",
            "search blocks=28",
            "block offset=0 bytes=4153 storedBytes=1212 compression='snappy' checksum='0c9fcd09'"
                + " restarts=4",
            "damage offset=1217 text='no block with a correct checksum' bytes=1197",
            "properties blocks=26 entries=1443 tombstones=0 rawBytes=105144 storedBytes=30010")
        .noneMatch(line -> line.startsWith("damage offset=31337"))
        .anyMatch(line -> line.startsWith("filter offset=31337"));
  }

  @Test
  void table_cutInABlock_showsTheBlocksBefore() throws IOException {
    Path table = Fixtures.copy("plain", temp).resolve("000005.ldb");
    Files.write(table, Arrays.copyOf(Files.readAllBytes(table), 6000));
    Cli dump = Cli.run("dump", "--entries", table.toString());
    assertThat(dump.exitCode()).isEqualTo(1);
    assertThat(dump.out())
        .contains("damage offset=5952 text='not a table: bad magic number'\n")
        .contains("\nblock offset=0 ")
        .contains("  put sequence=")
        .containsPattern("damage offset=\\d+ text='no block with a correct checksum'");
  }

  @Test
  void log_everyCutAndGarbage_neverFailsOtherwise() throws IOException {
    byte[] log = Files.readAllBytes(Fixtures.copy("log-only", temp).resolve("000003.log"));
    Path cut = temp.resolve("000009.log");
    for (int length = 0; length < 200; length += 7) {
      Files.write(cut, Arrays.copyOf(log, length));
      Cli dump = Cli.run("dump", "--entries", cut.toString());
      assertThat(dump.err()).isEmpty();
      assertThat(dump.out()).contains("\nend offset=");
    }
    Files.write(cut, new byte[] {1, 2, 3, 4, 5, 6, 7, 8, 9});
    assertThat(Cli.run("dump", "--entries", cut.toString()).err()).isEmpty();
  }

  @Test
  void batch_byKind_isPrintedAndChecked() throws IOException {
    EncodedBatch batch = (EncodedBatch) WriteBatch.create();
    batch.put("k".getBytes(), new byte[] {0, '\'', 27}).delete("d".getBytes());
    byte[] record = Arrays.copyOf(batch.bytes(), batch.length());
    record[0] = 7;
    record[8] = 2;
    Path file = temp.resolve("some.bin");
    Files.write(file, record);
    Cli dump = Cli.run("dump", "--entries", file.toString(), "--kind", "batch");
    assertThat(dump.exitCode()).as(dump.err()).isZero();
    assertThat(dump.out())
        .endsWith(
            """
            batch offset=0 bytes=22 sequence=7 count=2
              put sequence=7 key='k' value='\\x00'\\x1b'
              delete sequence=8 key='d'
            """);
    Files.write(file, Arrays.copyOf(record, record.length - 1));
    Cli cut = Cli.run("dump", "--entries", file.toString(), "--kind", "batch");
    assertThat(cut.exitCode()).isEqualTo(1);
    assertThat(cut.out()).contains("put sequence=7").contains("damage offset=0");
    assertThat(Cli.run("dump", "--entries", file.toString()).exitCode()).isEqualTo(2);
  }

  @Test
  void table_standAlone_needsUserKeys() throws IOException {
    Path file = temp.resolve("000001.ldb");
    try (TableWriter writer = TableWriter.create(file, Options.DEFAULT)) {
      writer.put("a".getBytes(), "1".getBytes());
      writer.finish();
    }
    Cli told = Cli.run("dump", "--entries", file.toString(), "--user-keys");
    assertThat(told.exitCode()).isZero();
    assertThat(told.out()).contains("  entry key='a' value='1'\n");
    Cli untold = Cli.run("dump", "--entries", file.toString());
    assertThat(untold.exitCode()).isEqualTo(1);
    assertThat(untold.out())
        .contains("  malformed key='a' value='1'\n")
        .endsWith(
            "damage offset=0 text='1 keys without sequence number and type: --user-keys is for"
                + " stand-alone tables'\n");
    assertThat(Cli.run("dump", file.toString()).out())
        .doesNotContain("  malformed ")
        .contains(" malformed=1 ", "--user-keys");
  }

  @Test
  void verify_standAloneTable_isCheckedByItsKeys() throws IOException {
    Path file = temp.resolve("000001.ldb");
    Options options = Options.builder().blockSize(100).filterPolicy(FilterPolicy.bloom(10)).build();
    try (TableWriter writer = TableWriter.create(file, options)) {
      for (int i = 100; i < 999; i++) {
        writer.put(("key" + i).getBytes(), "value".getBytes());
      }
      writer.finish();
    }
    Cli whole = Cli.run("dump", "--verify", "--user-keys", file.toString());
    assertThat(whole.exitCode()).as(whole.out()).isZero();
    assertThat(whole.out()).isEqualTo(file + ": whole\n");
    Cli reverse =
        Cli.run("dump", "--verify", "--user-keys", "--comparator=reverse", file.toString());
    assertThat(reverse.exitCode()).isEqualTo(1);
    assertThat(reverse.out()).contains("out of order: key101 follows key100\n");
    Fixtures.damage(file, 20);
    assertThat(Cli.run("dump", "--verify", "--user-keys", file.toString()).out())
        .contains("a block with a wrong checksum");
  }

  @Test
  void verify_tableOfKvsReverseOrder_isCheckedInIt() throws IOException {
    Path table = tableOfKvsReverseOrder();
    Cli verify = Cli.run("dump", "--verify", table.toString());
    assertThat(verify.out()).isEqualTo(table + ": whole\n");
    Cli bytewise = Cli.run("dump", "--verify", "--comparator=bytewise", table.toString());
    assertThat(bytewise.out()).contains("out of order");
  }

  private Path tableOfKvsReverseOrder() throws IOException {
    Path dir = temp.resolve("reverse");
    Cli.runWithInput("a\t1\nb\t2\n", "load", dir.toString(), "--create", "--comparator=reverse");
    Cli.run("compact", dir.toString());
    try (Stream<Path> files = Files.list(dir)) {
      return files.filter(file -> file.toString().endsWith(".ldb")).findFirst().orElseThrow();
    }
  }

  /** Its own properties tell the order, then the MANIFEST; another table in the folder does not. */
  @Test
  void verify_tableInAFolderOfTables_isCheckedInItsOwnOrder() throws IOException {
    Path folder = Files.createDirectory(temp.resolve("tables"));
    Path reverse = Files.copy(tableOfKvsReverseOrder(), folder.resolve("000001.ldb"));
    Path cpp =
        Files.copy(
            Fixtures.copy("plain", temp).resolve("000005.ldb"), folder.resolve("000002.ldb"));
    for (Path table : List.of(reverse, cpp)) {
      Cli verify = Cli.run("dump", "--verify", table.toString());
      assertThat(verify.out()).isEqualTo(table + ": whole\n");
    }
    Path part = Files.move(reverse, folder.resolve("part.ldb"));
    Cli verify = Cli.run("dump", "--verify", "--kind=table", part.toString());
    assertThat(verify.out()).isEqualTo(part + ": whole\n");
  }

  @Test
  void verify_otherOrder_isNotedOrChecked() throws IOException {
    Path table = Fixtures.copy("reverse-comparator", temp).resolve("000005.ldb");
    Cli unknown = Cli.run("dump", "--verify", table.toString());
    assertThat(unknown.exitCode()).isZero();
    assertThat(unknown.out()).contains("note: ").contains("fixture.ReverseBytewise");
    Cli reverse = Cli.run("dump", "--verify", "--comparator=reverse", table.toString());
    assertThat(reverse.exitCode()).as(reverse.out()).isZero();
    assertThat(reverse.out()).hasLineCount(1);
    Cli wrong = Cli.run("dump", "--verify", "--comparator=bytewise", table.toString());
    assertThat(wrong.exitCode()).isEqualTo(1);
    assertThat(wrong.out()).contains("out of order");
  }

  @Test
  void options_thatWouldBeIgnored_areWrongUsage() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    String table = dir.resolve("000005.ldb").toString();
    String manifest = dir.resolve("MANIFEST-000002").toString();
    for (List<String> wrong :
        List.of(
            List.of("dump", table, "--verify", "--entries"),
            List.of("dump", table, "--comparator=reverse"),
            List.of("dump", manifest, "--user-keys"),
            List.of("dump", manifest, "--verify", "--comparator=reverse"),
            List.of("dump", table, manifest, "--user-keys"),
            List.of("scan", dir.toString(), "--all-versions", "--comparator=bytewise"))) {
      Cli cli = Cli.run(wrong.toArray(String[]::new));
      assertThat(cli.exitCode()).as("%s", wrong).isEqualTo(2);
      assertThat(cli.out()).isEmpty();
    }
  }

  @Test
  void noFile_isOneLineAndExitOne() {
    Cli absent = Cli.run("dump", "--entries", temp.resolve("000007.ldb").toString());
    assertThat(absent.exitCode()).isEqualTo(1);
    assertThat(absent.err()).contains("000007.ldb: no such file").hasLineCount(1);
    assertThat(Cli.run("dump", "--entries", temp.toString()).err())
        .contains("is a directory; name files in it");
    assertThat(Cli.run("dump").exitCode()).isEqualTo(2);
  }

  @Test
  void allVersions_tablesOfAnyOrder_printsAll() throws IOException {
    String dir = Fixtures.copy("reverse-comparator", temp).toString();
    assertThat(Cli.run("scan", dir, "--all-versions").out()).hasLineCount(738 + 738 + 462);
  }

  @Test
  void allVersions_databaseWithoutTablesAndLogs_printsNothing() throws IOException {
    Path dir = temp.resolve("empty");
    DB.open(dir, Options.builder().createIfMissing(true).build()).close();
    try (Stream<Path> files = Files.list(dir)) {
      for (Path log : files.filter(file -> file.toString().endsWith(".log")).toList()) {
        Files.delete(log);
      }
    }
    Cli scan = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(scan.exitCode()).as(scan.err()).isZero();
    assertThat(scan.out()).isEmpty();
  }

  @Test
  void allVersions_damagedBlock_continuesAfterIt() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Cli whole = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(whole.exitCode()).isZero();
    assertThat(whole.err()).isEmpty();
    Path table = dir.resolve("000005.ldb");
    Fixtures.damage(table, 100);
    Cli damaged = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err())
        .startsWith("kv: damaged: " + table.getFileName() + ", offset 0: ")
        .hasLineCount(1);
    assertThat(whole.out().lines().toList())
        .containsSubsequence(damaged.out().lines().toList())
        .endsWith(damaged.out().lines().reduce((first, last) -> last).orElseThrow());
    long lost = whole.out().lines().count() - damaged.out().lines().count();
    assertThat(lost).isBetween(1L, 100L);
  }

  @Test
  void allVersions_damagedFooter_findsTheBlocks() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    Cli whole = Cli.run("scan", dir.toString(), "--all-versions");
    Path table = dir.resolve("000005.ldb");
    Fixtures.damage(table, Files.size(table) - 1);
    Cli damaged = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).contains("bad magic number").hasLineCount(1);
    assertThat(damaged.out()).isEqualTo(whole.out());
  }

  @Test
  void allVersions_damagedLog_continuesAfterIt() throws IOException {
    Path dir = Fixtures.copy("killed", temp);
    Cli whole = Cli.run("scan", dir.toString(), "--all-versions");
    Path log = dir.resolve("000003.log");
    Fixtures.damage(log, 20_000);
    Cli damaged = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(damaged.exitCode()).isEqualTo(1);
    assertThat(damaged.err()).startsWith("kv: damaged: " + log.getFileName() + ", offset ");
    List<String> lines = damaged.out().lines().toList();
    List<String> all = whole.out().lines().toList();
    assertThat(all).containsSubsequence(lines).startsWith(lines.get(0));
    assertThat(lines).hasSizeLessThan(all.size()).hasSizeGreaterThan(all.size() / 4);
    List<String> first =
        Cli.run("scan", dir.toString(), "--all-versions", "--limit", "2").out().lines().toList();
    assertThat(first).isEqualTo(lines.subList(0, 2));
  }

  @Test
  void allVersions_fileThatVanishes_isANote() throws IOException {
    Path dir = Fixtures.copy("plain", temp);
    String whole = Cli.run("scan", dir.toString(), "--all-versions").out();
    for (String name : List.of("000001.ldb", "000009.log")) {
      Files.createSymbolicLink(dir.resolve(name), dir.resolve("gone"));
    }
    Cli scan = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(scan.exitCode()).as(scan.err()).isZero();
    assertThat(scan.out()).isEqualTo(whole);
    assertThat(scan.err().lines())
        .containsExactly(
            "kv: note: 000001.ldb: was deleted by another process before it was read",
            "kv: note: 000009.log: was deleted by another process before it was read");
  }

  @Test
  void allVersions_besideAWriter_findNoDamage() throws Exception {
    Path dir = temp.resolve("busy");
    try (BusyWriter writer = new BusyWriter(dir)) {
      for (int i = 0; i < 20; i++) {
        Cli scan = Cli.run("scan", dir.toString(), "--all-versions");
        assertThat(scan.exitCode()).as(scan.err()).isZero();
        assertThat(scan.err()).doesNotContain("damaged");
        assertThat(scan.err()).contains("another process has the database open");
      }
    }
  }

  @Test
  void log_tornAtItsEnd_isNotDamaged() throws IOException {
    Path dir = Fixtures.copy("killed", temp);
    Path log = dir.resolve("000003.log");
    byte[] bytes = Arrays.copyOf(Files.readAllBytes(log), 42_000);
    Arrays.fill(bytes, 81 * 512, bytes.length, (byte) 0);
    Files.write(log, bytes);
    Cli dump = Cli.run("dump", "--entries", log.toString());
    assertThat(dump.exitCode()).isZero();
    assertThat(dump.out()).contains("damage offset=41425 text='checksum mismatch'", "torn=true");
    assertThat(Cli.run("dump", "--verify", log.toString()).exitCode()).isZero();
    Cli raw = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(raw.exitCode()).isZero();
    assertThat(raw.err())
        .contains("kv: note: 000003.log, offset 41425: ")
        .doesNotContain("damaged");
  }

  /** An open refuses it, and drops nothing as after a torn write. */
  @Test
  void log_damagedInItsLastBlock_isNotCalledTorn() throws IOException {
    Path log = Fixtures.copy("log-only", temp).resolve("000003.log");
    String dir = log.getParent().toString();
    Fixtures.damage(log, 20);
    Cli verify = Cli.run("verify", dir);
    Cli file = Cli.run("dump", "--verify", log.toString());
    Cli dump = Cli.run("dump", log.toString());
    Cli scan = Cli.run("scan", dir, "--all-versions");
    for (Cli cli : List.of(verify, file, dump, scan)) {
      assertThat(cli.exitCode()).isEqualTo(1);
      assertThat(cli.out() + cli.err())
          .containsOnlyOnce("checksum mismatch")
          .doesNotContain("torn write");
    }
  }

  /** C++ LevelDB appends at the end of a log that kv filled ahead with zeros. */
  @Test
  void log_continuedAfterZeros_isDamagedOnlyIfARecordIsMissing() throws IOException {
    Path log = Fixtures.copy("log-only", temp).resolve("000003.log");
    String dir = log.getParent().toString();
    byte[] bytes = Files.readAllBytes(log);
    List<Integer> ends = new ArrayList<>();
    try (RecordReader records =
        new RecordReader(Env.fileSystem(), log, (offset, length, reason, torn) -> {})) {
      while (records.next()) {
        ends.add((int) records.endOfLastRecord());
      }
    }
    int last = ends.get(ends.size() - 2);
    int[] kept = {last, ends.get(ends.size() - 3), 0};
    int[] added = {last, last, 0};
    boolean[] whole = {true, false, true};
    for (int i = 0; i < kept.length; i++) {
      byte[] filled = Arrays.copyOf(Arrays.copyOf(bytes, kept[i]), 32 << 10);
      byte[] tail = Arrays.copyOfRange(bytes, added[i], bytes.length);
      Files.write(log, concat(filled, tail));
      int exitCode = whole[i] ? 0 : 1;
      assertThat(Cli.run("verify", dir).exitCode()).isEqualTo(exitCode);
      Cli verify = Cli.run("dump", "--verify", log.toString());
      assertThat(verify.exitCode()).as(verify.out()).isEqualTo(exitCode);
      Cli dump = Cli.run("dump", log.toString());
      assertThat(dump.exitCode()).as(dump.out()).isEqualTo(exitCode);
      Cli scan = Cli.run("scan", dir, "--all-versions");
      assertThat(scan.exitCode()).as(scan.err()).isEqualTo(exitCode);
      String gap = "offset=" + kept[i] + " text='region never written'";
      String damage = "whole records follow the torn write at " + kept[i];
      assertThat(dump.out()).contains(gap);
      for (String text : List.of(verify.out(), dump.out(), scan.err())) {
        assertThat(text.contains(damage)).as(text).isEqualTo(!whole[i]);
      }
    }
  }

  @Test
  void log_wholeRecordsAfterATornWrite_isDamaged() throws IOException {
    Path dir = Fixtures.copy("killed", temp);
    Path log = dir.resolve("000003.log");
    byte[] bytes = Files.readAllBytes(log);
    Arrays.fill(bytes, 40 * 512, 41 * 512, (byte) 0);
    Files.write(log, bytes);
    Cli dump = Cli.run("dump", "--entries", log.toString());
    assertThat(dump.exitCode()).isEqualTo(1);
    assertThat(dump.out()).containsOnlyOnce("whole records follow the torn write at 20422");
    assertThat(Cli.run("dump", "--verify", log.toString()).exitCode()).isEqualTo(1);
    Cli raw = Cli.run("scan", dir.toString(), "--all-versions");
    assertThat(raw.exitCode()).isEqualTo(1);
    assertThat(raw.err()).contains("kv: damaged: 000003.log, offset 32841: whole records follow");
  }

  private static byte[] concat(byte[] first, byte[] second) {
    byte[] both = Arrays.copyOf(first, first.length + second.length);
    System.arraycopy(second, 0, both, first.length, second.length);
    return both;
  }

  @Test
  void table_withoutEntries_beginsWithASummary() throws IOException {
    Path table = Fixtures.copy("bloom", temp).resolve("000011.ldb");
    List<String> lines = Cli.run("dump", table.toString()).out().lines().toList();
    assertThat(lines.get(0)).startsWith("file ");
    assertThat(lines.get(1)).startsWith("summary ").contains("put=1500", "block=27");
    assertThat(lines).hasSizeLessThan(12).noneMatch(line -> line.startsWith("  put "));
  }
}

package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.ResultFile;
import dev.kv.jmh.task.Catalogue;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import picocli.CommandLine;

/** Every benchmark, small, over kv and leveldbjni in turns. */
class DbBenchSmokeTest {
  private static final String ORDER =
      "fillonebatch,foreach,readkeys,readcrc,fillseq,fillbatch,fillload,fillsync,fillrandom,overwrite,readrandom,readrandomsmall,readhot,"
          + "readnewest,readone,"
          + "readmissing,readseq,readreverse,seekrandom,seekordered,readwhilewriting,compact,"
          + "readrandom,open,stats,sstables,deleteseq,deleterandom,deleterange,queue,fill100K,quiet,"
          + "crc32c,snappycomp,snappyuncomp";

  private static final List<String> STORES = List.of("kv", "leveldbjni");

  @TempDir Path scratch;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String... args) {
    return new CommandLine(new DbBenchCommand(new PrintStream(out, true, StandardCharsets.UTF_8)))
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setErr(new PrintWriter(out, true, StandardCharsets.UTF_8))
        .execute(args);
  }

  private String printed() {
    return out.toString(StandardCharsets.UTF_8);
  }

  @Test
  void ycsb_all_runOverItsStores() {
    int exit =
        run(
            "--store=kv,rocksdb,lmdb,mvstore",
            "--benchmarks=ycsbload,ycsba,ycsbb,ycsbc,ycsbd,ycsbe,ycsbf",
            "--num=500",
            "--reads=300",
            "--value_size=1000",
            "--histogram=1",
            "--db=" + scratch.resolve("db"));
    assertThat(exit).as(printed()).isZero();
    assertThat(printed()).contains("ycsbf").contains("(300 found)").doesNotContain("(0 found)");
  }

  @Test
  void seeks_threadsThatKeepTheirCursors_findTheSame() {
    int exit =
        run(
            "--store=kv,lmdb,rocksdb",
            "--benchmarks=fillseq,seekrandom",
            "--num=500",
            "--threads=2",
            "--db=" + scratch.resolve("db"));
    assertThat(exit).as(printed()).isZero();
    assertThat(printed()).contains("lmdb, round 0", "rocksdb, round 0", "(500 of 500 found)");
    assertThat(printed().split("500 of 500 found")).hasSize(4);
    assertThat(run("--store=lmdb,rocksdb", "--benchmarks=queue", "--num=300")).isZero();
  }

  @Test
  void readone_firstKeysMissing_readsOneThatExists() {
    int exit =
        run(
            "--store=kv,leveldbjni,lmdb",
            "--benchmarks=fillrandom,readone",
            "--num=5000",
            "--reads=100",
            "--db=" + scratch.resolve("db"));
    assertThat(exit).as(printed()).isZero();
    assertThat(printed()).contains("(100 of 100 found)").doesNotContain("(0 of 100 found)");
  }

  @Test
  void benchmarks_all_runOverKvAndLeveldbjni() throws IOException {
    Path results = scratch.resolve("results");
    int exit =
        run(
            "--store=" + String.join(",", STORES),
            "--benchmarks=" + ORDER,
            "--num=2000",
            "--pairs=1",
            "--warmup=1",
            "--histogram=1",
            "--codec_bytes=100000",
            "--db=" + scratch.resolve("db"),
            "--output=" + results);

    assertThat(exit).as(printed()).isZero();
    assertThat(Catalogue.NAMES)
        .filteredOn(name -> !name.startsWith("ycsb"))
        .allSatisfy(name -> assertThat(printed()).contains("\n" + name));
    List<Measurement> measurements = onlyFile(results).measurements();
    for (String store : STORES) {
      for (int round = 0; round < 2; round++) {
        int wanted = round;
        List<Measurement> turn =
            measurements.stream()
                .filter(m -> m.store().equals(store) && m.round() == wanted)
                .toList();
        List<String> expected = new ArrayList<>(List.of(ORDER.split(",")));
        expected.removeAll(List.of("stats", "sstables"));
        expected.removeAll(store.equals("kv") ? List.of() : List.of("fillload"));
        assertThat(turn).extracting(Measurement::benchmark).containsExactlyElementsOf(expected);
        assertThat(turn).allMatch(m -> m.timing().microsPerOp() > 0 && m.cold() == (wanted == 0));
      }
    }
  }

  /** The stores get the same keys: they must find the same. */
  @Test
  void reads_sameSeed_findTheSame() throws IOException {
    Path results = scratch.resolve("results");
    int exit =
        run(
            "--store=" + String.join(",", STORES),
            "--benchmarks=fillrandom,readrandom,readmissing,readseq,readreverse,seekrandom",
            "--num=3000",
            "--output=" + results);

    assertThat(exit).as(printed()).isZero();
    List<Measurement> measurements = onlyFile(results).measurements();
    for (int position = 0; position < 6; position++) {
      int wanted = position;
      List<Measurement> same = measurements.stream().filter(m -> m.position() == wanted).toList();
      assertThat(same).hasSize(STORES.size());
      assertThat(same).extracting(Measurement::message).containsOnly(same.get(0).message());
      assertThat(same)
          .extracting(m -> m.timing().operations())
          .containsOnly(same.get(0).timing().operations());
    }
    assertThat(measurements.get(1).message()).matches("\\((18|19)\\d\\d of 3000 found\\)");
    assertThat(measurements.get(2).message()).isEqualTo("(0 of 3000 found)");
    assertThat(measurements.get(3).timing().operations()).isBetween(1800L, 2000L);
  }

  @Test
  void threads_several_eachDoTheirOperations() throws IOException {
    Path results = scratch.resolve("results");
    assertThat(
            run(
                "--store=leveldbjni",
                "--benchmarks=fillseq,readrandom,readwhilewriting",
                "--num=500",
                "--threads=2",
                "--output=" + results))
        .as(printed())
        .isZero();
    assertThat(onlyFile(results).measurements())
        .extracting(m -> m.timing().operations())
        .containsExactly(1000L, 1000L, 1000L);
  }

  @Test
  void useExistingDb_secondRun_readsWhatTheFirstWrote() {
    String db = "--db=" + scratch.resolve("db");
    assertThat(run("--store=leveldbjni", "--benchmarks=fillseq", "--num=500", db)).isZero();
    int exit =
        run(
            "--store=leveldbjni",
            "--benchmarks=fillseq,readrandom",
            "--num=500",
            "--use_existing_db=1",
            db);
    assertThat(exit).isZero();
    assertThat(printed())
        .contains("fillseq      : skipped (--use_existing_db is true)")
        .contains("(500 of 500 found)");
  }

  @Test
  void useExistingDb_severalRounds_keepsTheDatabase() {
    String db = "--db=" + scratch.resolve("db");
    String[] reads = {
      "--store=leveldbjni",
      "--benchmarks=readrandom",
      "--num=500",
      "--pairs=2",
      "--warmup=0",
      "--use_existing_db=1",
      db
    };
    assertThat(run("--store=leveldbjni", "--benchmarks=fillseq", "--num=500", db)).isZero();
    assertThat(run(reads)).isZero();
    assertThat(run(reads)).isZero();
    assertThat(printed()).contains("(500 of 500 found)").doesNotContain("(0 of 500 found)");
  }

  @Test
  void db_severalRounds_keepsTheDatabaseOfTheLast() {
    String db = "--db=" + scratch.resolve("db");
    assertThat(run("--store=kv", "--benchmarks=fillseq", "--num=500", "--pairs=2", db)).isZero();
    assertThat(run("--benchmarks=readrandom", "--num=500", "--use_existing_db=1", db)).isZero();
    assertThat(printed()).contains("(500 of 500 found)");
  }

  @Test
  void db_directoryOfSomethingElse_isAUsageErrorAndStays() throws IOException {
    Path source = Files.createDirectories(scratch.resolve("kv/src"));
    Files.writeString(source.resolve("Main.java"), "class Main {}");
    assertThat(run("--num=10", "--benchmarks=fillseq", "--db=" + scratch)).isEqualTo(2);
    assertThat(source.resolve("Main.java")).exists();
    assertThat(printed())
        .contains(scratch.resolve("kv") + " is not empty, and db_bench did not create it");
  }

  @ParameterizedTest
  @EnumSource(StoreKind.class)
  void db_databaseOfAnEarlierRun_isReplacedOrRead(StoreKind kind) {
    String[] fill = {
      "--store=" + kind.label(), "--num=10", "--benchmarks=fillseq,readseq", "--db=" + scratch
    };
    assertThat(run(fill)).as(printed()).isZero();
    assertThat(run(fill)).as(printed()).isZero();
    assertThat(OwnedDirectory.isOwn(scratch.resolve(kind.label()))).isTrue();
    fill[2] = "--benchmarks=readrandom";
    assertThat(run(fill[0], fill[1], fill[2], fill[3], "--use_existing_db=1")).isZero();
    assertThat(printed()).contains("(10 of 10 found)");
  }

  @ParameterizedTest
  @EnumSource(StoreKind.class)
  void useExistingDb_directoryOfSomethingElse_isAUsageErrorAndStays(StoreKind kind)
      throws IOException {
    Path directory = Files.createDirectories(scratch.resolve(kind.label()));
    Path source = Files.writeString(directory.resolve("Main.java"), "class Main {}");
    int exit =
        run(
            "--store=" + kind.label(),
            "--benchmarks=readrandom",
            "--use_existing_db=1",
            "--num=10",
            "--db=" + scratch);
    assertThat(exit).isEqualTo(2);
    assertThat(printed()).contains(directory + " has no file " + kind.file());
    assertThat(directory.toFile().list()).containsExactly(source.getFileName().toString());
  }

  @Test
  void useExistingDb_directoryWithoutAMarker_isRead() throws IOException {
    assertThat(run("--num=500", "--benchmarks=fillseq", "--db=" + scratch)).isZero();
    Files.delete(scratch.resolve("kv/.db_bench"));
    assertThat(
            run("--num=500", "--benchmarks=readrandom", "--use_existing_db=1", "--db=" + scratch))
        .isZero();
    assertThat(printed()).contains("(500 of 500 found)");
    assertThat(scratch.resolve("kv/.db_bench")).doesNotExist();
  }

  @Test
  void useExistingDb_noDatabase_isAUsageErrorAndCreatesNothing() throws IOException {
    Path missing = scratch.resolve("mistyped");
    String[] read = {
      "--benchmarks=readrandom", "--use_existing_db=1", "--num=10", "--db=" + missing
    };
    assertThat(run(read)).isEqualTo(2);
    assertThat(printed()).contains(missing.resolve("kv") + " has no file CURRENT");
    assertThat(missing).doesNotExist();

    Files.createDirectories(missing.resolve("kv"));
    assertThat(run(read)).isEqualTo(2);
    assertThat(missing.resolve("kv")).isEmptyDirectory();
    assertThat(missing).isDirectoryNotContaining(path -> !path.endsWith("kv"));
  }

  @Test
  void useExistingDb_oneStoreWithoutADatabase_isAUsageErrorAndCreatesNothing() {
    assertThat(run("--num=10", "--benchmarks=fillseq", "--db=" + scratch)).isZero();
    assertThat(
            run(
                "--store=kv,leveldbjni",
                "--num=10",
                "--benchmarks=readrandom",
                "--use_existing_db=1",
                "--db=" + scratch))
        .isEqualTo(2);
    assertThat(printed()).contains(scratch.resolve("leveldbjni") + " has no file CURRENT");
    assertThat(scratch.resolve("leveldbjni")).doesNotExist();
  }

  @Test
  void useExistingDb_withoutADirectory_isAUsageError() {
    assertThat(run("--num=10", "--benchmarks=readrandom", "--use_existing_db=1")).isEqualTo(2);
    assertThat(printed()).contains("--use_existing_db=1 needs --db");
  }

  @Test
  void store_unknown_isAUsageError() {
    assertThat(run("--store=nonsense")).isEqualTo(2);
    assertThat(printed()).contains("'nonsense'", "leveldbjni");
  }

  @Test
  void benchmarks_unknown_isAUsageError() {
    assertThat(run("--benchmarks=nonsense")).isEqualTo(2);
    assertThat(printed()).contains("'nonsense'", "readrandom");
  }

  private static ResultFile.Contents onlyFile(Path results) throws IOException {
    try (Stream<Path> files = Files.list(results)) {
      return ResultFile.read(files.findFirst().orElseThrow());
    }
  }
}

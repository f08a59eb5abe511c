package dev.kv.jmh.bench;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import dev.kv.jmh.workload.DecimalKey;
import java.io.BufferedReader;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine;

class DbBenchCommandTest {
  private static final long ENTRIES = 50;

  @TempDir Path scratch;
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();

  private int run(String... args) {
    return new CommandLine(new DbBenchCommand(new PrintStream(out, true, UTF_8)))
        .setErr(new PrintWriter(out, true, UTF_8))
        .execute(args);
  }

  private String printed() {
    return out.toString(UTF_8);
  }

  /** Starts db_bench in a process whose directory for temporary files is {@link #scratch}. */
  private Process start(String... args) throws IOException {
    List<String> command =
        new ArrayList<>(
            List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Djava.io.tmpdir=" + scratch,
                "-cp",
                System.getProperty("java.class.path"),
                "dev.kv.jmh.Main",
                "db_bench",
                "--num=10"));
    command.addAll(List.of(args));
    return new ProcessBuilder(command).redirectErrorStream(true).start();
  }

  @Test
  void run_deletesItsTemporaryDirectory() throws Exception {
    Process process = start("--benchmarks=fillseq");
    String printed;
    try (BufferedReader lines = process.inputReader()) {
      printed = lines.lines().collect(Collectors.joining("\n"));
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(process.exitValue()).as(printed).isZero();
    assertThat(scratch).isDirectoryNotContaining("glob:**/kv-db-bench*");
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "destroy() does not run shutdown hooks")
  void run_endedByASignal_deletesItsTemporaryDirectory() throws Exception {
    Process process = start("--benchmarks=fillseq,crc32c", "--codec_bytes=" + Long.MAX_VALUE);
    try (BufferedReader lines = process.inputReader()) {
      assertThat(lines.lines().anyMatch(line -> line.startsWith("fillseq "))).isTrue();
      assertThat(scratch).isDirectoryContaining("glob:**/kv-db-bench*");
      process.destroy();
      assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    assertThat(scratch).isDirectoryNotContaining("glob:**/kv-db-bench*");
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          --num=-1                | must be at least 1
          --num=0                 | must be at least 1
          --reads=0               | must be at least 1
          --reads=-2              | must be at least 1
          --threads=0             | must be at least 1
          --threads=-1            | must be at least 1
          --pairs=0               | must be at least 1
          --warmup=-1             | must be at least 0
          --value_size=-5         | must be at least 0
          --key_prefix=-1         | must be at least 0
          --compression_ratio=NaN | must be above 0 and at most 1
          --compression_ratio=0.0 | must be above 0 and at most 1
          --compression_ratio=5.0 | must be above 0 and at most 1
          --value_size=1048577    | must be at most 1048576
          --key_prefix=496        | must be at most 495
          --bloom_bits=101        | must be at most 100
          --benchmark_write_rate_limit=-1 | must be at least 0
          """)
  void flag_outOfItsRange_isAUsageErrorThatNamesIt(String flag, String range) {
    Path db = scratch.resolve("db");
    assertThat(run("--db=" + db, flag)).isEqualTo(2);
    assertThat(printed()).startsWith(flag + ", but it " + range);
    assertThat(db).doesNotExist();
  }

  @ParameterizedTest
  @ValueSource(strings = {"--db", "--output", "--profile"})
  void flag_fileInsteadOfADirectory_isAUsageErrorThatNamesIt(String flag) throws IOException {
    Path file = Files.createFile(scratch.resolve("file"));
    for (Path path : List.of(file, file.resolve("sub"))) {
      out.reset();
      assertThat(run(flag + "=" + path)).isEqualTo(2);
      assertThat(printed()).startsWith(flag + "=" + path + ", but " + file + " is not a directory");
    }
  }

  @Test
  void db_directoryThatCannotBeCreated_isAUsageErrorThatSaysWhy() {
    Path db = scratch.resolve("x".repeat(300));
    assertThat(run("--db=" + db, "--benchmarks=fillseq", "--num=1")).isEqualTo(2);
    assertThat(printed()).startsWith("--db=" + db + " cannot be created: ");
  }

  @ParameterizedTest
  @ValueSource(strings = {"--db", "--output", "--profile"})
  void flag_emptyDirectory_isAUsageErrorThatNamesIt(String flag) {
    assertThat(run(flag + "=", "--num=10", "--benchmarks=fillseq")).isEqualTo(2);
    assertThat(printed()).startsWith(flag + "= does not name a directory");
  }

  @Test
  void num_moreThanABatchHolds_isAUsageErrorOfFillonebatch() {
    assertThat(run("--num=17318417", "--benchmarks=crc32c,fillonebatch")).isEqualTo(2);
    assertThat(printed())
        .startsWith("fillonebatch with --num=17318417, but it must be at most 17318416");
  }

  @Test
  void flags_largestValues_run() {
    int exit =
        run(
            "--store=kv,lmdb",
            "--benchmarks=fillonebatch,readrandom",
            "--num=3",
            "--read_access=BUFFER",
            "--value_size=1048576",
            "--key_prefix=495",
            "--bloom_bits=100");
    assertThat(exit).as(printed()).isZero();
    assertThat(printed()).contains("(3 of 3 found)").doesNotContain("failed");
  }

  @Test
  void output_thatCannotBeCreated_isNamedWithoutAStackTrace() {
    Path output = scratch.resolve("x".repeat(300));
    assertThat(run("--benchmarks=fillseq", "--num=10", "--output=" + output)).isEqualTo(1);
    assertThat(printed())
        .contains("its results cannot be written: ", output.toString())
        .doesNotContain("\tat ", "micros/op");
  }

  @Test
  void benchmarks_none_isAUsageError() {
    assertThat(run("--benchmarks=")).isEqualTo(2);
    assertThat(printed()).startsWith("--benchmarks has no name; known are open, fillseq,");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "overwrite",
        "deleteseq",
        "deleterandom",
        "deleterange",
        "compact",
        "readwhilewriting",
        "ycsba",
        "ycsbb",
        "ycsbd",
        "ycsbe",
        "ycsbf"
      })
  void useExistingDb_writesToAForeignDatabase_areAUsageError(String writing) throws IOException {
    List<Long> before = foreignDatabase();
    int exit =
        run(
            "--use_existing_db=1",
            "--num=" + ENTRIES,
            "--benchmarks=readseq," + writing,
            "--db=" + scratch);
    assertThat(exit).as(printed()).isEqualTo(2);
    assertThat(printed())
        .contains("did not create " + scratch.resolve("kv"))
        .contains("may not write to it: " + writing + "; those that read are open, readseq,")
        .doesNotContain("micros/op");
    assertThat(entries()).isEqualTo(before);
  }

  @Test
  void useExistingDb_defaultBenchmarksOnAForeignDatabase_onlyRead() throws IOException {
    List<Long> before = foreignDatabase();
    int exit =
        run("--use_existing_db=1", "--num=" + ENTRIES, "--codec_bytes=1000", "--db=" + scratch);
    assertThat(exit).as(printed()).isZero();
    assertThat(printed())
        .contains("overwrite    : skipped (it writes, and db_bench did not create the database)")
        .contains("compact      : skipped (it writes, and db_bench did not create the database)")
        .contains("(50 of 50 found)");
    assertThat(entries()).isEqualTo(before);
  }

  @Test
  void useExistingDb_ownDatabase_mayBeWritten() {
    String db = "--db=" + scratch;
    assertThat(run("--num=10", "--benchmarks=fillseq", db)).as(printed()).isZero();
    assertThat(run("--num=10", "--benchmarks=deleteseq", "--use_existing_db=1", db))
        .as(printed())
        .isZero();
    assertThat(printed()).contains("deleteseq    :").doesNotContain("skipped");
  }

  /** Creates a database as another program would, and returns its entries. */
  private List<Long> foreignDatabase() throws IOException {
    Files.createDirectories(scratch.resolve("kv"));
    try (Store store = open();
        Writer writer = store.writer(false)) {
      DecimalKey key = new DecimalKey(0);
      for (int i = 0; i < ENTRIES; i++) {
        writer.put(key.set(i).clone(), ("value of another program " + i).getBytes(UTF_8));
      }
    }
    return entries();
  }

  /** Returns the number of entries and the sum of their bytes. */
  private List<Long> entries() throws IOException {
    OpMeter meter = new OpMeter(false);
    try (Store store = open()) {
      store.scan(meter);
    }
    return List.of(meter.operations(), meter.sum());
  }

  private Store open() throws IOException {
    return StoreKind.KV.open(scratch.resolve("kv"), StoreSettings.DEFAULT);
  }
}

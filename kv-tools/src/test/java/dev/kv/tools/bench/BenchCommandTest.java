package dev.kv.tools.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.tools.Cli;
import dev.kv.tools.console.Output;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BenchCommandTest {
  @TempDir Path temp;

  @Test
  void bench_allBenchmarks_printALineEachAndCleanUp() {
    Path dir = temp.resolve("bench");
    Cli bench =
        Cli.run(
            "bench",
            dir.toString(),
            "--num",
            "2000",
            "--benchmarks",
            String.join(",", Bench.NAMES));
    assertThat(bench.exitCode()).as(bench.err()).isZero();
    List<String> lines = bench.out().lines().toList();
    assertThat(lines)
        .contains(
            "entries      2000",
            "valueBytes   100",
            "compression  snappy",
            "filter       none",
            "directory    " + dir);
    int head = lines.indexOf("") + 1;
    assertThat(lines.get(head)).startsWith("benchmark ").contains(" MiB/s ");
    assertThat(lines).hasSize(head + 1 + Bench.NAMES.size());
    for (int i = 0; i < Bench.NAMES.size(); i++) {
      assertThat(lines.get(head + 1 + i)).startsWith(Bench.NAMES.get(i) + " ");
    }
    assertThat(bench.out()).contains("(0 of 2000 found)");
    assertThat(dir).doesNotExist();
  }

  @Test
  void bench_json_findsWhatItWrote() {
    Path dir = temp.resolve("bench");
    Cli bench =
        Cli.run(
            "bench",
            dir.toString(),
            "--num=1000",
            "--json",
            "--bloom-bits=10",
            "--benchmarks=fillseq,readrandom,readmissing,readseq,readreverse,deleteseq,readseq");
    assertThat(bench.exitCode()).as(bench.err()).isZero();
    List<String> lines = bench.out().lines().toList();
    assertThat(lines).hasSize(7).allMatch(line -> line.startsWith("{\"benchmark\":\""));
    assertThat(lines)
        .allMatch(line -> line.contains("\"bytesPerSecond\":"))
        .allMatch(line -> line.contains("\"entries\":1000,\"keyBytes\":16,\"valueBytes\":100,"))
        .allMatch(line -> line.contains("\"filter\":\"leveldb.BuiltinBloomFilter2\","));
    assertThat(lines.get(1)).contains("\"found\":1000,");
    assertThat(lines.get(2)).contains("\"found\":0,");
    assertThat(lines.get(3)).contains("\"found\":1000,").contains("\"p99.9Micros\":");
    assertThat(lines.get(4)).contains("\"found\":1000,");
    assertThat(lines.get(6)).contains("\"found\":0,");
  }

  @Test
  void bench_scans_haveTheEntriesAsOperations() {
    Path dir = temp.resolve("bench");
    Cli bench =
        Cli.run(
            "bench",
            dir.toString(),
            "--num=1000",
            "--json",
            "--benchmarks=fillrandom,readseq,readreverse,deleteseq,readseq");
    assertThat(bench.exitCode()).as(bench.err()).isZero();
    List<String> lines = bench.out().lines().toList();
    for (String line : lines.subList(1, 3)) {
      assertThat(line).containsPattern("\"operations\":(\\d{3}),.*\"found\":\\1,");
    }
    assertThat(lines.get(4))
        .contains("\"operations\":0,\"microsPerOperation\":0.0,\"bytesPerSecond\":0,");
  }

  @Test
  void run_valuesOfTheDefaultSize_repeatTheirFirstHalf() {
    Path dir = temp.resolve("bench");
    Options options = Options.builder().createIfMissing(true).build();
    try (Output out = new Output();
        Bench bench = new Bench(dir, options, 20_000, 100, 301, new BenchReport(true, out))) {
      bench.run(List.of("fillseq"));
    }
    try (ReadOnlyDB db = DB.openReadOnly(dir, Options.DEFAULT);
        DBIterator entries = db.iterator()) {
      int count = 0;
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        byte[] value = entries.value();
        assertThat(Arrays.equals(value, 0, 50, value, 50, 100)).as("value %d", count).isTrue();
        count++;
      }
      assertThat(count).isEqualTo(20_000);
    }
  }

  @Test
  void bench_wrongUsageOrTakenDirectory_isRefused() throws Exception {
    assertThat(Cli.run("bench", "--benchmarks", "fillseq,nonsense").exitCode()).isEqualTo(2);
    assertThat(Cli.run("bench", "--num", "0").exitCode()).isEqualTo(2);
    Cli bits = Cli.run("bench", "--bloom-bits=-1");
    assertThat(bits.exitCode()).isEqualTo(2);
    assertThat(bits.err()).startsWith("kv: --bloom-bits must be from 0 to 100");
    Path mine = Files.createDirectory(temp.resolve("mine"));
    Files.writeString(mine.resolve("file"), "mine");
    Cli taken = Cli.run("bench", mine.toString());
    assertThat(taken.exitCode()).isEqualTo(1);
    assertThat(taken.err()).contains("already exists");
    assertThat(mine.resolve("file")).exists();
  }
}

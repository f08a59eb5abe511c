package dev.kv.infinispan.load;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * The store on kv, and those that it is compared with, in turn, in JVMs of their own. Runs only
 * when asked for, since it wants a quiet machine; writes {@code target/side-by-side.md}. The
 * RocksDB store, which is not published for this version of Infinispan, takes part if {@code
 * kv.rocksdb.classpath} has the jars of an older version.
 */
@EnabledIfSystemProperty(named = "kv.side.by.side", matches = "[1-9][0-9]*")
class SideBySideIT {
  private static final int ROUNDS = Integer.getInteger("kv.side.by.side", 0);
  private static final int ENTRIES = Integer.getInteger("kv.side.by.side.entries", 100_000);
  private static final String ROCKSDB_JARS = System.getProperty("kv.rocksdb.classpath", "");

  @TempDir Path temp;

  private enum Store {
    KV("<kv-store xmlns=\"urn:infinispan:config:store:kv:16.0\" path=\"%1$s\"/>"),
    ROCKSDB(
        "<rocksdb-store xmlns=\"urn:infinispan:config:store:rocksdb:15.2\" path=\"%1$s/data\">"
            + "<expiration path=\"%1$s/expired\"/></rocksdb-store>"),
    SOFT_INDEX("<file-store><data path=\"%1$s/data\"/><index path=\"%1$s/index\"/></file-store>");

    private final String element;

    Store(String element) {
      this.element = element;
    }

    String element(Path directory) {
      return String.format(Locale.ROOT, element, directory);
    }
  }

  @Test
  void stores_inTurn_areReported() throws IOException, InterruptedException {
    Map<String, Map<Store, List<Double>>> results = new LinkedHashMap<>();
    List<Store> stores = new ArrayList<>(List.of(Store.values()));
    if (ROCKSDB_JARS.isEmpty()) {
      stores.remove(Store.ROCKSDB);
    }
    for (int round = 0; round < ROUNDS; round++) {
      for (Store store : stores) {
        Path directory = temp.resolve(store + "-" + round);
        for (String mode : List.of("write", "read")) {
          run(store, mode, directory, results);
        }
      }
    }
    assertThat(results).isNotEmpty();
    report(stores, results);
  }

  private void run(
      Store store, String mode, Path directory, Map<String, Map<Store, List<Double>>> results)
      throws IOException, InterruptedException {
    String classPath = System.getProperty("java.class.path");
    if (store == Store.ROCKSDB) {
      classPath = Path.of("target", "test-classes") + File.pathSeparator + ROCKSDB_JARS;
    }
    File output = temp.resolve("output").toFile();
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx256m",
                "-cp",
                classPath,
                StoreLoad.class.getName(),
                mode,
                Integer.toString(ENTRIES),
                store.element(directory))
            .redirectOutput(output)
            .redirectError(temp.resolve("errors").toFile())
            .start();
    assertThat(process.waitFor()).as("%s, %s", store, mode).isZero();
    for (String line : Files.readAllLines(output.toPath())) {
      String[] columns = line.split("\t");
      if (columns.length == 2) {
        results
            .computeIfAbsent(columns[0], name -> new LinkedHashMap<>())
            .computeIfAbsent(store, name -> new ArrayList<>())
            .add(Double.parseDouble(columns[1]));
      }
    }
  }

  private static void report(List<Store> stores, Map<String, Map<Store, List<Double>>> results)
      throws IOException {
    StringBuilder report = new StringBuilder("| |");
    stores.forEach(store -> report.append(' ').append(store).append(" |"));
    report.append("\n|---|").append("--:|".repeat(stores.size())).append('\n');
    results.forEach(
        (name, numbers) -> {
          report.append("| ").append(name).append(" |");
          for (Store store : stores) {
            List<Double> sorted = numbers.get(store).stream().sorted().toList();
            report.append(String.format(Locale.ROOT, " %.1f |", sorted.get(sorted.size() / 2)));
          }
          report.append('\n');
        });
    Files.writeString(Path.of("target", "side-by-side.md"), report);
    System.out.print(report);
  }
}

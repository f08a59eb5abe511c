package dev.kv.core.peer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.bytes.Escape;
import dev.kv.core.Directories;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;

/** The side of kv in the tests of this package. */
final class KvSide {
  private KvSide() {}

  /** Options with which kv writes its files. */
  enum Configuration {
    SNAPPY(Options.builder()),
    PURE_JAVA_SNAPPY(Options.builder().tables(t -> t.nativeSnappy(false))),
    PLAIN(Options.builder().compression(CompressionType.NONE)),
    BLOOM(Options.builder().filterPolicy(FilterPolicy.bloom(10))),
    RESTART_1(Options.builder().blockRestartInterval(1)),
    REUSED_LOGS(Options.builder().reuseLogs(true)),
    SMALL(Options.builder().writeBufferSize(64 << 10).blockSize(1024)),
    INFO_LOG(Options.builder().monitoring(m -> m.infoLog(true)));

    private final Options.Builder builder;

    Configuration(Options.Builder builder) {
      this.builder = builder;
    }

    Options options() {
      return builder.createIfMissing(true).build();
    }
  }

  static void write(Path directory, Options options, Workload workload, boolean compact) {
    try (DB db = DB.open(directory, options)) {
      WriteBatch batch = WriteBatch.create();
      int n = 0;
      for (Workload.Operation operation : workload.operations()) {
        if (operation.value() == null) {
          batch.delete(operation.key());
        } else {
          batch.put(operation.key(), operation.value());
        }
        if (++n % 7 == 0) {
          db.write(batch);
          batch.clear();
        }
      }
      db.write(batch);
      if (compact) {
        db.admin().compactRange(null, null);
      }
    }
  }

  static void expect(Path directory, Options options, SortedMap<byte[], byte[]> model) {
    try (DB db = DB.open(directory, options);
        DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      expectEntries(
          "kv", entries.stream().map(e -> Map.entry(e.key(), e.value())).iterator(), model);
      for (byte[] key : model.keySet()) {
        assertThat(db.get(key)).isEqualTo(model.get(key));
      }
    }
  }

  static void expectEntries(
      String reader, Iterator<Map.Entry<byte[], byte[]>> entries, SortedMap<byte[], byte[]> model) {
    for (Map.Entry<byte[], byte[]> expected : model.entrySet()) {
      String key = Escape.bytes(expected.getKey());
      assertThat(entries.hasNext()).as("%s ends before %s", reader, key).isTrue();
      Map.Entry<byte[], byte[]> found = entries.next();
      assertThat(found.getKey()).as("%s at %s", reader, key).isEqualTo(expected.getKey());
      assertThat(Arrays.equals(found.getValue(), expected.getValue()))
          .as("%s: value of %s", reader, key)
          .isTrue();
    }
    assertThat(entries.hasNext()).as("%s has more", reader).isFalse();
  }

  /**
   * Gives every table of a closed database the suffix that the old C++ LevelDB knows. Replaces
   * files of the same number, which that LevelDB may have left if it was closed during a
   * compaction.
   */
  static void renameTablesToSst(Path directory) throws IOException {
    for (Path table : Directories.files(directory, ".ldb")) {
      String name = table.getFileName().toString();
      Files.move(
          table,
          table.resolveSibling(name.substring(0, name.length() - 4) + ".sst"),
          StandardCopyOption.REPLACE_EXISTING);
    }
  }
}

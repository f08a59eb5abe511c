package dev.kv.core.crash;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.table.TableWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;

/**
 * An endless list of loads into one space. Each replaces all entries of the one before, with its
 * number in every value: a sorted bulk load, an unsorted one, and an ingest of two tables, in turn.
 */
final class Loading {
  private static final String SPACE = "load/";
  private static final int KEYS = 40;

  private Loading() {}

  /** Does load {@code number}; {@code files} is the beginning of the names of its tables. */
  static void load(DB db, int number, Path files) {
    if (number % 3 == 0) {
      Path first = table(number, 0, files.resolveSibling(files.getFileName() + "-1"));
      Path second = table(number, KEYS / 2, files.resolveSibling(files.getFileName() + "-2"));
      db.loads().ingest(List.of(second, first));
      return;
    }
    boolean sorted = number % 3 == 1;
    try (BulkLoader loader =
        db.loads().bulkLoader(BulkLoadOptions.builder().sorted(sorted).build())) {
      for (int i = 0; i < KEYS; i++) {
        int key = sorted ? i : KEYS - 1 - i;
        loader.put(key(key), value(number, key));
      }
      loader.finish();
    }
  }

  private static Path table(int number, int from, Path file) {
    try (TableWriter writer = TableWriter.forIngest(file, Options.DEFAULT)) {
      for (int i = from; i < from + KEYS / 2; i++) {
        writer.put(key(i), value(number, i));
      }
      writer.finish();
    }
    return file;
  }

  private static byte[] key(int i) {
    return bytes(SPACE + (1000 + i));
  }

  private static byte[] value(int number, int i) {
    return bytes(number + "/" + "v".repeat(30 * i));
  }

  /** Returns the number of the last load that {@code db} has; fails if it has a part of one. */
  static int find(DBReader db) {
    byte[] first = db.get(key(0));
    String text = first == null ? "0/" : new String(first, StandardCharsets.ISO_8859_1);
    int number = Integer.parseInt(text.substring(0, text.indexOf('/')));
    int found = 0;
    ReadOptions space = ReadOptions.builder().prefix(bytes(SPACE)).build();
    try (DBIterator cursor = db.iterator(space)) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        assertThat(cursor.key()).isEqualTo(key(found));
        assertThat(cursor.value())
            .as("an entry of load %d", number)
            .isEqualTo(value(number, found));
        found++;
      }
    }
    assertThat(found).as("entries of load %d", number).isEqualTo(number == 0 ? 0 : KEYS);
    return number;
  }
}

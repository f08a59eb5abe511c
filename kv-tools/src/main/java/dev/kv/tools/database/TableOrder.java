package dev.kv.tools.database;

import dev.kv.bytes.Slice;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.StoredKey;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Tells from the tables of a database whether their keys are in an order. */
final class TableOrder {
  private TableOrder() {}

  /**
   * Returns true if the first table with at least two keys has them in {@code order}, false if it
   * does not, and null if there is no such table. Of a table, the first blocks are read, up to the
   * one with the second key.
   */
  static @Nullable Boolean confirms(Path directory, KeyOrder order) throws IOException {
    for (Map.Entry<Path, DatabaseFile> file : DatabaseFiles.files(directory).entrySet()) {
      if (file.getValue().kind() == DatabaseFile.Kind.TABLE) {
        List<Slice> keys = firstKeys(file.getKey());
        if (keys.size() > 1) {
          return areInOrder(keys, order);
        }
      }
    }
    return null;
  }

  /** Returns keys without their repetitions; none if the table is damaged before the second. */
  private static List<Slice> firstKeys(Path file) throws IOException {
    List<Slice> keys = new ArrayList<>();
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      for (TableContents.Named block : table.readHandles(table.footer().index())) {
        table.read(block.handle(), true);
        table.forEachEntry(
            (key, value) -> {
              Slice user = StoredKey.isWellFormed(key) ? Slice.of(StoredKey.userKey(key)) : null;
              if (user != null && (keys.isEmpty() || !keys.get(keys.size() - 1).equals(user))) {
                keys.add(user);
              }
            });
        if (keys.size() > 1) {
          return keys;
        }
      }
      return keys;
    } catch (CorruptionException | NoSuchFileException unreadable) {
      return List.of();
    }
  }

  private static boolean areInOrder(List<Slice> keys, KeyOrder order) {
    for (int i = 1; i < keys.size(); i++) {
      if (order.compare(keys.get(i - 1), keys.get(i)) >= 0) {
        return false;
      }
    }
    return true;
  }
}

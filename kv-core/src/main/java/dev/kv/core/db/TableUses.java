package dev.kv.core.db;

import com.google.errorprone.annotations.concurrent.GuardedBy;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.errors.CorruptionException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Counts how many views use each table, and closes a table after its last view. Thread-safe. */
final class TableUses {
  /** A table and the number of views that use it. */
  private record Use(FileMetadata file, int views) {}

  private final DatabaseContext context;

  @GuardedBy("this")
  private final Map<Long, Use> uses = new HashMap<>();

  TableUses(DatabaseContext context) {
    this.context = context;
  }

  DatabaseContext context() {
    return context;
  }

  /**
   * Adds the tables of a view, before it opens them.
   *
   * @throws CorruptionException if a table has the number of another one that is in use: the
   *     directory has the files of another database now; nothing was added
   */
  synchronized void add(List<FileMetadata> files) {
    for (FileMetadata file : files) {
      Use use = uses.get(file.number());
      if (use != null && !isSame(use.file, file)) {
        throw new CorruptionException(
            "table "
                + file.number()
                + " is another one than before: the database was replaced; open it again",
            context.directory().toString(),
            CorruptionException.NO_OFFSET);
      }
    }
    for (FileMetadata file : files) {
      uses.merge(file.number(), new Use(file, 1), (old, added) -> new Use(old.file, old.views + 1));
    }
  }

  /** Returns the tables that no view uses yet. */
  synchronized List<FileMetadata> unused(List<FileMetadata> files) {
    Set<Long> used = uses.keySet();
    return files.stream().filter(file -> !used.contains(file.number())).toList();
  }

  /**
   * Returns the metadata of tables that a view uses already, with their true sizes, if these are
   * not those of the MANIFEST: its tables may be deleted meanwhile.
   */
  synchronized List<FileMetadata> correctSizes(List<FileMetadata> files) {
    List<FileMetadata> corrected = new ArrayList<>();
    for (FileMetadata file : files) {
      Use use = uses.get(file.number());
      if (use != null && file.isOverstated(use.file.size())) {
        corrected.add(file.ofSize(use.file.size()));
      }
    }
    return corrected;
  }

  private static boolean isSame(FileMetadata one, FileMetadata other) {
    return one.size() == other.size()
        && Arrays.equals(one.smallest(), other.smallest())
        && Arrays.equals(one.largest(), other.largest());
  }

  /** Removes the tables of a view, which it does not read any more. */
  synchronized void remove(List<FileMetadata> files) {
    for (FileMetadata file : files) {
      @Nullable Use left =
          uses.computeIfPresent(
              file.number(),
              (number, use) -> use.views == 1 ? null : new Use(use.file, use.views - 1));
      if (left == null) {
        context.tables().evict(file.number());
      }
    }
  }
}

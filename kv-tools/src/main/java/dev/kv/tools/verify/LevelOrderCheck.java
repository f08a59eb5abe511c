package dev.kv.tools.verify;

import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.database.DatabaseFiles;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.PriorityQueue;
import org.jspecify.annotations.Nullable;

/**
 * The check that no older version of a key hides a newer one: among all versions of a key, a newer
 * one never lies in a deeper level than an older one. Level 0 counts as one level. All tables must
 * be whole.
 */
final class LevelOrderCheck {
  private final Env env;
  private final Path directory;
  private final Tree tree;
  private final StoredKey.Order order;
  private final Finding.Sink findings;

  LevelOrderCheck(
      Env env, Path directory, Tree tree, StoredKey.Order order, Finding.Sink findings) {
    this.env = env;
    this.directory = directory;
    this.tree = tree;
    this.order = order;
    this.findings = findings;
  }

  void run() throws IOException {
    List<Run> runs = new ArrayList<>();
    try {
      PriorityQueue<Run> heads = new PriorityQueue<>(Comparator.comparing(Run::key, order));
      for (int level = 0; level < DatabaseFile.LEVELS; level++) {
        for (List<ManifestEdit.NewTable> tables : sorted(level)) {
          Run run = new Run(level, tables);
          runs.add(run);
          if (run.next()) {
            heads.add(run);
          }
        }
      }
      if (runs.size() > 1) {
        merge(heads);
      }
    } catch (CorruptionException e) {
      findings.found(Finding.damage(e.file(), e));
    } finally {
      for (Run run : runs) {
        run.close();
      }
    }
  }

  /** Returns the tables of a level in groups; keys ascend within each group. */
  private List<List<ManifestEdit.NewTable>> sorted(int level) {
    List<ManifestEdit.NewTable> tables = tree.tables(level, order);
    if (level > 0) {
      return tables.isEmpty() ? List.of() : List.of(tables);
    }
    return tables.stream().map(List::of).toList();
  }

  private void merge(PriorityQueue<Run> heads) throws IOException {
    byte[] newer = null;
    int newerLevel = 0;
    for (Run run = heads.poll(); run != null; run = heads.poll()) {
      byte[] key = run.key();
      if (newer != null && order.compareUserKeys(newer, key) == 0 && run.level < newerLevel) {
        findings.found(
            Finding.damage(
                tree.manifest(),
                CorruptionException.NO_OFFSET,
                "level "
                    + run.level
                    + " holds "
                    + StoredKey.describe(key)
                    + ", but the newer "
                    + StoredKey.describe(newer)
                    + " lies in level "
                    + newerLevel));
        return;
      }
      newer = key;
      newerLevel = run.level;
      if (run.next()) {
        heads.add(run);
      }
    }
  }

  /** The keys of consecutive tables, read one block at a time. */
  private final class Run implements AutoCloseable {
    private final int level;
    private final Deque<ManifestEdit.NewTable> tables;
    private final Deque<TableContents.Named> blocks = new ArrayDeque<>();
    private final Deque<byte[]> keys = new ArrayDeque<>();
    private @Nullable TableContents table;
    private byte[] key = {};

    Run(int level, List<ManifestEdit.NewTable> tables) {
      this.level = level;
      this.tables = new ArrayDeque<>(tables);
    }

    byte[] key() {
      return key;
    }

    /** Moves to the next key; returns false after the last one. */
    boolean next() throws IOException {
      while (keys.isEmpty()) {
        Cancellation.check();
        TableContents open = table;
        if (open != null && !blocks.isEmpty()) {
          open.read(blocks.remove().handle(), true);
          open.forEachEntry((entry, value) -> keys.add(entry));
        } else if (!openNext()) {
          return false;
        }
      }
      key = keys.remove();
      return true;
    }

    private boolean openNext() throws IOException {
      close();
      ManifestEdit.NewTable next = tables.poll();
      if (next == null) {
        return false;
      }
      Path file = DatabaseFiles.table(directory, next);
      if (file == null) {
        return true;
      }
      try {
        TableContents opened = new TableContents(env, file);
        table = opened;
        blocks.addAll(opened.readHandles(opened.footer().index()));
      } catch (NoSuchFileException compactedAway) {
        table = null;
      }
      return true;
    }

    @Override
    public void close() {
      TableContents open = table;
      if (open != null) {
        table = null;
        open.close();
      }
    }
  }
}

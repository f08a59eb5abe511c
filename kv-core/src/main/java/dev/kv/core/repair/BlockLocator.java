package dev.kv.core.repair;

import dev.kv.bytes.Escape;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.inspect.TableContents.Found;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.core.inspect.TableContents.Role;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The places of the data blocks in a table that cannot be opened.
 *
 * <pre>
 * 1. If there is an index, it gives the places. It is the index that the footer names, or an index
 *    that was found by its checksum and names all blocks that were found before the end of the last
 *    block that it names.
 * 2. Otherwise the data blocks are among the blocks that were found by their checksums. These form
 *    runs: in a run, each block begins at the end of the previous one.
 *    a. A run that begins at the start of the file belongs to the table.
 *    b. After damage, a block can be a part of a value that holds a table. The last run belongs to
 *       the table if it ends with the metaindex. Any other run with a metaindex or an index does
 *       not.
 *    c. The keys decide about other runs. They must be after the keys of the runs taken before,
 *       before the keys of the run that ends with the metaindex, and within the known bounds of the
 *       table. A run is not taken unless there is a bound on both sides.
 * </pre>
 *
 * @param handles the blocks, in the order of the file
 * @param bytesLost bytes that may have been data but are in none of the blocks
 */
record BlockLocator(List<Handle> handles, long bytesLost) {
  /**
   * Finds the data blocks of the table in {@code path}; none if no block is whole.
   *
   * @param bounds the internal keys of the table and its size; null if they are unknown
   */
  static BlockLocator find(
      Env env, Path path, InternalKeyComparator order, @Nullable FileMetadata bounds) {
    try (TableContents table = inspect(env, path)) {
      List<Handle> blocks = named(table);
      if (blocks != null) {
        return new BlockLocator(blocks, 0);
      }
      List<Found> found =
          table.findBlocks(
              e -> {
                throw e;
              });
      blocks = named(table, found);
      return blocks == null
          ? new Choice(table, order, bounds, found).blocks()
          : new BlockLocator(blocks, 0);
    }
  }

  static TableContents inspect(Env env, Path path) {
    try {
      return new TableContents(env, path);
    } catch (IOException e) {
      throw new DBIOException("cannot open table " + Escape.text(path.toString()) + ": " + e, e);
    }
  }

  private static @Nullable List<Handle> named(TableContents table) {
    try {
      return table.readNamed(table.footer().index());
    } catch (CorruptionException e) {
      return null;
    }
  }

  private static @Nullable List<Handle> named(TableContents table, List<Found> found) {
    for (int i = found.size() - 1; i >= 0; i--) {
      if (found.get(i).role() == Role.INDEX) {
        List<Handle> named = table.readNamed(found.get(i).handle());
        if (TableContents.agree(named, found)) {
          return named;
        }
      }
    }
    return null;
  }

  /** The choice among the blocks found. */
  private static final class Choice {
    private final TableContents table;
    private final InternalKeyComparator order;
    private final List<Run> runs = new ArrayList<>();
    private final @Nullable Run tail;
    private final @Nullable FileMetadata bounds;
    private final List<Handle> taken = new ArrayList<>();

    /** The last key of the runs taken. */
    private byte[] last = {};

    /**
     * Blocks that follow each other without a gap, with the data blocks among them and the first
     * and last key of these.
     */
    private static final class Run {
      final long offset;
      long end;
      @Nullable Found metaindex;
      boolean hasIndex;
      long filterBytes;
      final List<Handle> data = new ArrayList<>();
      byte[] first = {};
      byte[] last = {};

      Run(long offset) {
        this.offset = offset;
        end = offset;
      }
    }

    Choice(
        TableContents table,
        InternalKeyComparator order,
        @Nullable FileMetadata bounds,
        List<Found> found) {
      this.table = table;
      this.order = order;
      this.bounds = bounds;
      for (Found block : found) {
        if (runs.isEmpty() || newest().end != block.handle().offset()) {
          runs.add(new Run(block.handle().offset()));
        }
        add(newest(), block);
      }
      boolean whole = !found.isEmpty() && found.get(found.size() - 1).role() == Role.METAINDEX;
      tail = whole ? newest() : null;
    }

    private Run newest() {
      return runs.get(runs.size() - 1);
    }

    private void add(Run run, Found block) {
      run.end = block.end();
      switch (block.role()) {
        case INDEX -> run.hasIndex = true;
        case METAINDEX -> run.metaindex = run.metaindex == null ? block : run.metaindex;
        case META -> {
          requireReadable(block.handle());
          run.filterBytes += stored(block.handle());
        }
        case DATA -> addData(run, block.handle());
        default -> throw new AssertionError(block);
      }
    }

    /**
     * Throws if the compression of a block is not supported here: then it may be a data block and
     * not a filter.
     */
    private void requireReadable(Handle block) {
      try {
        table.read(block, false);
      } catch (CorruptionException e) {
        // A damaged block holds no data that could be read.
      }
    }

    private void addData(Run run, Handle block) {
      List<byte[]> outermost = new ArrayList<>();
      table.read(block, true);
      table.forEachEntry(
          (key, value) -> {
            if (outermost.size() > 1) {
              outermost.remove(1);
            }
            outermost.add(key);
          });
      byte[] first = outermost.get(0);
      byte[] end = outermost.get(outermost.size() - 1);
      if (InternalKey.isWellFormed(first) && InternalKey.isWellFormed(end)) {
        run.first = run.data.isEmpty() ? first : run.first;
        run.last = end;
        run.data.add(block);
      }
    }

    BlockLocator blocks() {
      FileMetadata stored = bounds;
      long dataEnd = stored == null ? table.size() : Math.max(table.size(), stored.size());
      long known = 0;
      for (Run run : runs) {
        boolean own = run.offset == 0 || run == tail;
        Found metaindex = run.metaindex;
        if (own) {
          known += run.filterBytes;
          dataEnd = metaindex == null ? dataEnd : metaindex.handle().offset();
        }
        if (!run.data.isEmpty() && (own || isLikelyOwn(run)) && follows(run)) {
          taken.addAll(run.data);
          last = run.last;
        }
      }
      for (Handle block : taken) {
        known += stored(block);
      }
      return new BlockLocator(taken, Math.max(0, dataEnd - known));
    }

    private boolean follows(Run run) {
      return last.length == 0 || order.compare(last, run.first) < 0;
    }

    private boolean isLikelyOwn(Run run) {
      Run end = tail != null && !tail.data.isEmpty() ? tail : null;
      boolean below = end == null || order.compare(run.last, end.first) < 0;
      boolean bounded = last.length > 0 && end != null;
      FileMetadata known = bounds;
      if (known != null) {
        bounded =
            order.compare(known.smallest(), run.first) <= 0
                && order.compare(run.last, known.largest()) <= 0;
      }
      return run.metaindex == null && !run.hasIndex && below && bounded;
    }

    private static long stored(Handle block) {
      return block.size() + BlockWriter.TRAILER;
    }
  }
}

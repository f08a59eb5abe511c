package dev.kv.tools.maintenance;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.StoredKey;
import dev.kv.core.inspect.TableContents;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.CompressionType;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.verify.Tree;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The form of a database's tables, so that new ones are not worse: the compression and the filter
 * of the largest table that tells its compression, and the size of the largest one below level 0.
 * Tables of C++ LevelDB do not tell their compression.
 */
final class TableForm {
  private static final FilterPolicy BLOOM = FilterPolicy.bloom(10);
  private static final int MAX_FILE_SIZE = 1 << 30;
  private static final String FILTER_KEY = "filter." + BLOOM.name();

  private @Nullable CompressionType compression;
  private boolean hasFilter;
  private long largest;

  private TableForm() {}

  /** Reads the form of the tables in a directory. Damaged tables tell none. */
  static TableForm of(Path directory) throws IOException {
    TableForm form = new TableForm();
    List<Path> tables =
        DatabaseFiles.files(directory).entrySet().stream()
            .filter(file -> file.getValue().kind() == DatabaseFile.Kind.TABLE)
            .map(Map.Entry::getKey)
            .sorted(Comparator.comparingLong((Path file) -> file.toFile().length()).reversed())
            .toList();
    for (Path table : tables) {
      try (TableContents contents = new TableContents(Env.fileSystem(), table)) {
        form.add(contents);
      } catch (CorruptionException | UnsupportedFormatException | NoSuchFileException unreadable) {
        continue;
      }
      if (form.compression != null) {
        break;
      }
    }
    form.largest = largest(directory);
    return form;
  }

  /** Returns the size of the largest table below level 0, or 0 if the MANIFEST cannot be read. */
  private static long largest(Path directory) throws IOException {
    StoredKey.Order anyOrder = new StoredKey.Order(DBComparator.bytewise());
    long largest = 0;
    try {
      Tree tree = Tree.read(directory, ignored -> {});
      for (int level = 1; level < DatabaseFile.LEVELS; level++) {
        for (ManifestEdit.NewTable table : tree.tables(level, anyOrder)) {
          largest = Math.max(largest, table.size());
        }
      }
    } catch (CorruptionException | NoSuchFileException unreadable) {
      return 0;
    }
    return largest;
  }

  private void add(TableContents table) {
    compression = compression(DatabaseFiles.properties(table));
    boolean filtered =
        table.readHandles(table.footer().metaindex()).stream()
            .anyMatch(entry -> FILTER_KEY.equals(new String(entry.key(), StandardCharsets.UTF_8)));
    hasFilter = compression == null ? hasFilter || filtered : filtered;
  }

  private static @Nullable CompressionType compression(TableContents.@Nullable Properties stated) {
    for (CompressionType type : CompressionType.values()) {
      if (stated != null && type.code() == stated.compression()) {
        return type;
      }
    }
    return null;
  }

  /** Sets what new tables need to have this form. */
  Options.Builder applyTo(Options.Builder options) {
    if (compression != null) {
      options.compression(compression);
    }
    if (hasFilter) {
      options.filterPolicy(BLOOM);
    }
    long size = Math.max(Options.DEFAULT.maxFileSize(), largest);
    return options.maxFileSize(Math.min(size, MAX_FILE_SIZE));
  }
}

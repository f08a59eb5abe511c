package dev.kv.core.inspect;

import dev.kv.core.table.cache.TablePath;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.env.Env;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A record of a MANIFEST: the change from one tree of tables to the next.
 *
 * @param comparator the name of the comparator, or null
 * @param logNumber the oldest log that is not completely in tables, or {@link #UNSET}
 * @param previousLogNumber a log that an old LevelDB was flushing; 0 is none, or {@link #UNSET}
 * @param nextFileNumber a number above all used file numbers, or {@link #UNSET}
 * @param lastSequence the last sequence number in use, or {@link #UNSET}
 * @param compactPointers the stored keys after which the next compaction of a level begins
 * @param deletedTables the tables that are removed
 * @param newTables the tables that are added
 */
public record ManifestEdit(
    @Nullable String comparator,
    long logNumber,
    long previousLogNumber,
    long nextFileNumber,
    long lastSequence,
    List<CompactPointer> compactPointers,
    List<DeletedTable> deletedTables,
    List<NewTable> newTables) {

  /** The value of a number that the edit does not set. */
  public static final long UNSET = VersionEdit.UNSET;

  /** The stored key after which the next compaction of a level begins. */
  public record CompactPointer(int level, byte[] key) {}

  /** A table that is removed from a level. */
  public record DeletedTable(int level, long number) {}

  /** A table that is added to a level, with its size in bytes and its ends, two stored keys. */
  public record NewTable(int level, long number, long size, byte[] smallest, byte[] largest) {
    /**
     * Returns true if the size is the one that iq80 states for a table of {@code actual} bytes. An
     * open accepts it if the file ends as a table does.
     */
    public boolean isOverstated(long actual) {
      return FileMetadata.ofUnknownKeys(number, size).isOverstated(actual);
    }

    /**
     * Returns the file of the table. If a directory has two, it is the one with this size.
     *
     * @throws java.nio.file.NoSuchFileException if there is none
     */
    public Path file(Env env, Path directory) throws IOException {
      FileMetadata table = FileMetadata.ofUnknownKeys(number, size);
      return TablePath.find(env, directory, table, TableSuffix.LDB).path();
    }

    /** Returns a copy of the first user key. */
    public byte[] smallestUserKey() {
      return StoredKey.userKey(smallest);
    }

    /** Returns a copy of the last user key. */
    public byte[] largestUserKey() {
      return StoredKey.userKey(largest);
    }
  }

  static ManifestEdit of(VersionEdit edit) {
    return new ManifestEdit(
        edit.comparatorName(),
        edit.logNumber(),
        edit.previousLogNumber(),
        edit.nextFileNumber(),
        edit.lastSequence(),
        edit.compactPointers().stream()
            .map(pointer -> new CompactPointer(pointer.level(), pointer.key()))
            .toList(),
        edit.deletedFiles().stream()
            .map(deleted -> new DeletedTable(deleted.level(), deleted.number()))
            .toList(),
        edit.newFiles().stream().map(added -> table(added.level(), added.file())).toList());
  }

  private static NewTable table(int level, FileMetadata file) {
    return new NewTable(level, file.number(), file.size(), file.smallest(), file.largest());
  }
}

package dev.kv.core.version;

import dev.kv.bytes.Escape;
import dev.kv.core.key.InternalKey;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The change from one version to the next, stored as one record of the MANIFEST. Immutable. Encoded
 * and decoded by {@link VersionEditCodec}, which holds the grammar.
 *
 * @param comparatorName the name of the comparator, or null
 * @param logNumber the oldest log that is not completely in tables, or {@link #UNSET}
 * @param previousLogNumber the log that an old LevelDB was still flushing; 0 is none, or {@link
 *     #UNSET}
 * @param nextFileNumber a number above all used file numbers, or {@link #UNSET}
 * @param lastSequence the last sequence number in use, or {@link #UNSET}
 * @param compactPointers the keys after which the next compaction of a level begins
 * @param deletedFiles the tables that are removed
 * @param newFiles the tables that are added
 */
public record VersionEdit(
    @Nullable String comparatorName,
    long logNumber,
    long previousLogNumber,
    long nextFileNumber,
    long lastSequence,
    List<CompactPointer> compactPointers,
    List<DeletedFile> deletedFiles,
    List<NewFile> newFiles) {

  /** The value of a number that the edit does not set. */
  public static final long UNSET = -1;

  /** Copies the lists. */
  public VersionEdit {
    compactPointers = List.copyOf(compactPointers);
    deletedFiles = List.copyOf(deletedFiles);
    newFiles = List.copyOf(newFiles);
  }

  /** The internal key after which the next size compaction of a level begins. */
  public record CompactPointer(int level, byte[] key) {}

  /** A table that is removed from a level. */
  public record DeletedFile(int level, long number) {
    // Every open decodes such entries, and what Java generates for a record is slow at its first
    // use.

    @Override
    public boolean equals(@Nullable Object other) {
      return other instanceof DeletedFile file && level == file.level && number == file.number;
    }

    @Override
    public int hashCode() {
      return 31 * level + Long.hashCode(number);
    }
  }

  /** A table that is added to a level. */
  public record NewFile(int level, FileMetadata file) {}

  /** Returns a builder of an edit that changes nothing yet. */
  public static Builder builder() {
    return new Builder();
  }

  /** Returns a builder that starts from this edit. */
  public Builder toBuilder() {
    Builder builder = new Builder();
    builder.comparatorName = comparatorName;
    builder.logNumber = logNumber;
    builder.previousLogNumber = previousLogNumber;
    builder.nextFileNumber = nextFileNumber;
    builder.lastSequence = lastSequence;
    builder.compactPointers.addAll(compactPointers);
    builder.deletedFiles.addAll(deletedFiles);
    builder.newFiles.addAll(newFiles);
    return builder;
  }

  /** Returns the fields line by line, in the text form of LevelDB's dump, keys escaped. */
  public String describe() {
    StringBuilder text = new StringBuilder("VersionEdit {");
    if (comparatorName != null) {
      text.append("\n  Comparator: ").append(Escape.text(comparatorName));
    }
    describe(text, "LogNumber", logNumber);
    describe(text, "PrevLogNumber", previousLogNumber);
    describe(text, "NextFile", nextFileNumber);
    describe(text, "LastSeq", lastSequence);
    for (CompactPointer pointer : compactPointers) {
      text.append("\n  CompactPointer: ").append(pointer.level()).append(' ');
      text.append(InternalKey.describe(pointer.key()));
    }
    for (DeletedFile deleted : deletedFiles) {
      text.append("\n  RemoveFile: ").append(deleted.level());
      text.append(' ').append(deleted.number());
    }
    for (NewFile added : newFiles) {
      FileMetadata file = added.file();
      text.append("\n  AddFile: ").append(added.level()).append(' ').append(file.number());
      text.append(' ').append(file.size()).append(' ');
      text.append(InternalKey.describe(file.smallest())).append(" .. ");
      text.append(InternalKey.describe(file.largest()));
    }
    return text.append("\n}\n").toString();
  }

  private static void describe(StringBuilder text, String name, long value) {
    if (value != UNSET) {
      text.append("\n  ").append(name).append(": ").append(value);
    }
  }

  /** Builds a {@link VersionEdit}. Not thread-safe. */
  public static final class Builder {
    private @Nullable String comparatorName;
    private long logNumber = UNSET;
    private long previousLogNumber = UNSET;
    private long nextFileNumber = UNSET;
    private long lastSequence = UNSET;
    private final List<CompactPointer> compactPointers = new ArrayList<>();
    private final List<DeletedFile> deletedFiles = new ArrayList<>();
    private final List<NewFile> newFiles = new ArrayList<>();

    private Builder() {}

    /** Sets the comparator's name. */
    public Builder comparatorName(String name) {
      comparatorName = name;
      return this;
    }

    /** Sets the oldest log that is not completely in tables. */
    public Builder logNumber(long number) {
      logNumber = number;
      return this;
    }

    /**
     * Sets the log of an immutable memtable, which only old versions of LevelDB used; 0 is none.
     */
    public Builder previousLogNumber(long number) {
      previousLogNumber = number;
      return this;
    }

    /** Sets a file number above all used ones. */
    public Builder nextFileNumber(long number) {
      nextFileNumber = number;
      return this;
    }

    /** Sets the last sequence number in use. */
    public Builder lastSequence(long sequence) {
      lastSequence = sequence;
      return this;
    }

    /** Sets the key after which the next compaction of a level begins. */
    public Builder compactPointer(int level, byte[] key) {
      compactPointers.add(new CompactPointer(level, key));
      return this;
    }

    /** Removes a table from a level. */
    public Builder deleteFile(int level, long number) {
      deletedFiles.add(new DeletedFile(level, number));
      return this;
    }

    /** Adds a table to a level. */
    public Builder addFile(int level, FileMetadata file) {
      newFiles.add(new NewFile(level, file));
      return this;
    }

    /** Returns the edit. */
    public VersionEdit build() {
      return new VersionEdit(
          comparatorName,
          logNumber,
          previousLogNumber,
          nextFileNumber,
          lastSequence,
          compactPointers,
          deletedFiles,
          newFiles);
    }
  }
}

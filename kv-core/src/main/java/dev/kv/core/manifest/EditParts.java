package dev.kv.core.manifest;

import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import java.util.ArrayList;
import java.util.List;

/**
 * The edits with which a MANIFEST begins. They describe a tree in several parts: a record must fit
 * into an array, and the state of a tree with many tables and long keys does not. If the parts have
 * log numbers, a recovery takes their tables of level 0 for flushed memtables.
 *
 * <p>The first part has the comparator, each part has the log numbers, and only the last one has
 * the next file number and the last sequence, which a recovery requires. So the MANIFEST is invalid
 * until the last part is whole.
 */
public final class EditParts {
  /** The size of the keys in one part, unless one table or one compact pointer has more. */
  private static final int MAX_KEY_BYTES = 1 << 20;

  private final List<VersionEdit> parts = new ArrayList<>();
  private VersionEdit.Builder part;
  private long logNumber;
  private final long previousLogNumber;
  private long keyBytes;

  /** Begins the first part; a log number may be {@link VersionEdit#UNSET}. */
  public EditParts(ManifestContext context, long logNumber, long previousLogNumber) {
    this.logNumber = logNumber;
    this.previousLogNumber = previousLogNumber;
    part = begin().comparatorName(context.comparator().userComparator().name());
  }

  private VersionEdit.Builder begin() {
    return VersionEdit.builder().logNumber(logNumber).previousLogNumber(previousLogNumber);
  }

  /** Adds the key after which the next compaction of a level begins. */
  void compactPointer(int level, byte[] key) {
    makeRoom(key.length);
    part.compactPointer(level, key);
  }

  /** Adds a table. */
  public void addFile(int level, FileMetadata file) {
    makeRoom((long) file.smallest().length + file.largest().length);
    part.addFile(level, file);
  }

  private void makeRoom(long more) {
    if (keyBytes > 0 && keyBytes + more > MAX_KEY_BYTES) {
      endPart();
    }
    keyBytes += more;
  }

  private void endPart() {
    parts.add(part.build());
    part = begin();
    keyBytes = 0;
  }

  /** Gives the parts after this one a log number. */
  void nextLogNumber(long number) {
    logNumber = number;
    endPart();
  }

  /** Returns the parts before another edit, which has the numbers that a recovery requires. */
  List<VersionEdit> endBefore() {
    if (keyBytes > 0) {
      endPart();
    }
    return parts;
  }

  /** Ends the last part and returns all. */
  public List<VersionEdit> end(long nextFileNumber, long lastSequence) {
    part.nextFileNumber(nextFileNumber).lastSequence(lastSequence);
    endPart();
    return parts;
  }
}

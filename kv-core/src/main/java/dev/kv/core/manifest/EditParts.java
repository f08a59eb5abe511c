package dev.kv.core.manifest;

import dev.kv.core.version.VersionEdit;
import java.util.ArrayList;
import java.util.List;

/**
 * Splits an edit with which a MANIFEST begins: a record must fit into an array, and the state of a
 * tree with many tables and long keys does not. The edit must not delete tables. If it has log
 * numbers, a recovery takes its tables of level 0 for flushed memtables.
 *
 * <p>The first part has the comparator, each part has the log numbers, and only the last one has
 * the next file number and the last sequence, which a recovery requires. So the MANIFEST is invalid
 * until the last part is whole.
 */
final class EditParts {
  /** The size of the keys in one part, unless one table or one compact pointer has more. */
  private static final int MAX_KEY_BYTES = 1 << 20;

  private final VersionEdit edit;
  private final List<VersionEdit> parts = new ArrayList<>();
  private VersionEdit.Builder part = VersionEdit.builder();
  private long keyBytes;

  private EditParts(VersionEdit edit) {
    this.edit = edit;
  }

  /** Returns the parts, at least one. */
  static List<VersionEdit> of(VersionEdit edit) {
    return new EditParts(edit).split();
  }

  private List<VersionEdit> split() {
    begin();
    String comparator = edit.comparatorName();
    if (comparator != null) {
      part.comparatorName(comparator);
    }
    for (VersionEdit.CompactPointer pointer : edit.compactPointers()) {
      makeRoom(pointer.key().length);
      part.compactPointer(pointer.level(), pointer.key());
    }
    for (VersionEdit.NewFile added : edit.newFiles()) {
      makeRoom((long) added.file().smallest().length + added.file().largest().length);
      part.addFile(added.level(), added.file());
    }
    part.nextFileNumber(edit.nextFileNumber()).lastSequence(edit.lastSequence());
    parts.add(part.build());
    return parts;
  }

  private void begin() {
    part =
        VersionEdit.builder()
            .logNumber(edit.logNumber())
            .previousLogNumber(edit.previousLogNumber());
    keyBytes = 0;
  }

  private void makeRoom(long more) {
    if (keyBytes > 0 && keyBytes + more > MAX_KEY_BYTES) {
      parts.add(part.build());
      begin();
    }
    keyBytes += more;
  }
}

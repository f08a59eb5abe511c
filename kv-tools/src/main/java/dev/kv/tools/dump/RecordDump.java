package dev.kv.tools.dump;

import dev.kv.core.inspect.BatchRecord;
import dev.kv.core.inspect.ManifestEdit;
import dev.kv.core.inspect.RecordReader;
import dev.kv.core.inspect.StoredKey;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.Tree;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;

/**
 * Dumps one file of records: a log, a MANIFEST, or a file that is one encoded batch. Damage is a
 * part with an offset, and the dump continues after it.
 */
final class RecordDump {
  private final Env env;
  private final Path file;
  private final Parts parts;

  /** The offset of a torn write that no whole record has followed so far, or -1. */
  private long tornAt = -1;

  /** The offset of bytes of a log, never written, that no batch has followed so far, or -1. */
  private long gapAt = -1;

  /** The offset of the last damage that was reported, or -1. */
  private long damagedAt = -1;

  /** The sequence number that the next batch of a log has at least. */
  private long nextSequence;

  /** The tree of the edits that were dumped. */
  private final Tree tree = new Tree("");

  RecordDump(Env env, Path file, Parts parts) {
    this.env = env;
    this.file = file;
    this.parts = parts;
  }

  /** Dumps a log. */
  void log() throws IOException {
    try (RecordReader records = new RecordReader(env, file, new LogReporter())) {
      while (records.next()) {
        if (tornAt >= 0) {
          parts.damage(records.offset(), Finding.afterTornWrite(tornAt));
          tornAt = -1;
        }
        batch(records.batch(), records.offset());
      }
      long end = records.endOfLastRecord();
      if (records.end() == RecordReader.End.TORN && damagedAt < end) {
        long next = RecordReader.nextBatch(env, file, end, nextSequence);
        if (next >= 0) {
          parts.damage(next, Finding.afterTornWrite(end));
        }
      }
      end(records);
    }
  }

  /** Dumps a MANIFEST. */
  void manifest() throws IOException {
    try (RecordReader records = new RecordReader(env, file, this::skipped)) {
      while (records.next()) {
        if (tornAt >= 0) {
          parts.damage(records.offset(), Finding.afterTornEdit(tornAt));
          tornAt = -1;
        }
        edit(records);
      }
      Finding end = Tree.end(env, file, "", records, damagedAt);
      if (end != null && end.damage()) {
        parts.damage(end.offset(), end.text());
      }
      if (!parts.isDamaged() && !tree.isComplete()) {
        parts.damage(records.endOfLastRecord(), Tree.INCOMPLETE);
      }
      end(records);
    }
  }

  /** Dumps a file that is one encoded batch. */
  void batch() throws IOException {
    batch(BatchRecord.of(Files.readAllBytes(file)), 0);
  }

  private void skipped(long offset, long bytes, String reason, boolean torn) {
    if (torn) {
      tornAt = tornAt < 0 ? offset : tornAt;
      parts.torn(offset, reason, "bytes", bytes, "torn", true);
    } else {
      damagedAt = offset;
      parts.damage(offset, reason, "bytes", bytes, "torn", false);
    }
  }

  /** Reports what the reader of a log skips. */
  private final class LogReporter implements RecordReader.Damage {
    @Override
    public void skipped(long offset, long bytes, String reason, boolean torn) {
      RecordDump.this.skipped(offset, bytes, reason, torn);
    }

    @Override
    public void gap(long offset, long bytes) {
      gapAt = gapAt < 0 ? offset : gapAt;
      parts.torn(offset, "region never written", "bytes", bytes, "torn", true);
    }
  }

  private void end(RecordReader records) {
    parts.part(
        0,
        "end",
        "offset",
        records.endOfLastRecord(),
        "bytesAfter",
        records.bytesAfterLastRecord(),
        "end",
        records.end().name().toLowerCase(Locale.ROOT));
  }

  private void batch(BatchRecord batch, long offset) {
    int length = batch.length();
    if (!batch.hasHeader()) {
      parts.damage(offset, "a record of " + length + " bytes is too short to be a batch");
      return;
    }
    long sequence = batch.sequence();
    long count = batch.count();
    if (gapAt >= 0 && nextSequence > 0 && sequence > nextSequence) {
      parts.damage(offset, Finding.afterTornWrite(gapAt));
    }
    gapAt = -1;
    parts.part(0, "batch", "offset", offset, "bytes", length, "sequence", sequence, "count", count);
    long found = 0;
    String broken = null;
    try {
      for (; batch.next(); found++) {
        if (batch.isPut()) {
          parts.part(
              1, "put", "sequence", sequence + found, "key", batch.key(), "value", batch.value());
        } else {
          parts.part(1, "delete", "sequence", sequence + found, "key", batch.key());
        }
      }
      if (found != count) {
        broken = "the batch has " + found + " operations, but its header says " + count;
      }
    } catch (IllegalArgumentException e) {
      broken = "batch: " + e.getMessage();
    }
    broken = broken == null ? Finding.beyondGreatestNumber(sequence, found) : broken;
    if (broken == null) {
      nextSequence = Math.max(nextSequence, sequence + found);
    } else {
      parts.damage(offset, broken);
    }
  }

  private void edit(RecordReader record) {
    parts.part(0, "edit", "offset", record.offset(), "bytes", record.length());
    try {
      ManifestEdit edit = record.edit();
      tree.apply(edit);
      edit(edit);
    } catch (CorruptionException e) {
      parts.damage(e);
    } catch (UnsupportedFormatException e) {
      parts.damage(record.offset(), String.valueOf(e.getMessage()));
    }
  }

  private void edit(ManifestEdit edit) {
    String comparator = edit.comparator();
    if (comparator != null) {
      parts.part(1, "comparator", "name", comparator);
    }
    number("logNumber", edit.logNumber());
    number("previousLogNumber", edit.previousLogNumber());
    number("nextFileNumber", edit.nextFileNumber());
    number("lastSequence", edit.lastSequence());
    for (ManifestEdit.CompactPointer pointer : edit.compactPointers()) {
      parts.part(
          1,
          "compactPointer",
          "level",
          pointer.level(),
          "key",
          userKey(pointer.key()),
          "sequence",
          sequence(pointer.key()));
    }
    for (ManifestEdit.DeletedTable deleted : edit.deletedTables()) {
      parts.part(1, "deletedFile", "level", deleted.level(), "number", deleted.number());
    }
    for (ManifestEdit.NewTable table : edit.newTables()) {
      parts.part(
          1,
          "newFile",
          "level",
          table.level(),
          "number",
          table.number(),
          "bytes",
          table.size(),
          "smallest",
          userKey(table.smallest()),
          "smallestSequence",
          sequence(table.smallest()),
          "largest",
          userKey(table.largest()),
          "largestSequence",
          sequence(table.largest()));
    }
  }

  private void number(String type, long number) {
    if (number != ManifestEdit.UNSET) {
      parts.part(1, type, "number", number);
    }
  }

  /** Returns the user key of an internal key, or the bytes themselves if they are not one. */
  static byte[] userKey(byte[] internalKey) {
    return StoredKey.isWellFormed(internalKey) ? StoredKey.userKey(internalKey) : internalKey;
  }

  private static long sequence(byte[] internalKey) {
    return StoredKey.sequence(internalKey);
  }
}

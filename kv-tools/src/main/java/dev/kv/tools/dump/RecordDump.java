package dev.kv.tools.dump;

import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.MalformedBatchException;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.tools.verify.Finding;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
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
  private final BatchCursor operations = new BatchCursor();

  /** The offset of a torn write that no whole record has followed so far, or -1. */
  private long tornAt = -1;

  RecordDump(Env env, Path file, Parts parts) {
    this.env = env;
    this.file = file;
    this.parts = parts;
  }

  /** Dumps a log. */
  void log() throws IOException {
    records(this::batch, true);
  }

  /** Dumps a MANIFEST. */
  void manifest() throws IOException {
    records(this::edit, false);
  }

  /** Dumps a file that is one encoded batch. */
  void batch() throws IOException {
    byte[] bytes = Files.readAllBytes(file);
    ByteBuffer record =
        ByteBuffer.allocateDirect(bytes.length).order(ByteOrder.LITTLE_ENDIAN).put(0, bytes);
    batch(record, bytes.length, 0);
  }

  private interface RecordPrinter {
    void print(ByteBuffer record, int length, long offset);
  }

  private void records(RecordPrinter printer, boolean mayBeTorn) throws IOException {
    try (LogReader records =
        new LogReader(
            file.toString(),
            env.openSequential(file),
            (offset, bytes, reason, torn) -> {
              if (torn && mayBeTorn) {
                tornAt = tornAt < 0 ? offset : tornAt;
                parts.torn(offset, reason, "bytes", bytes, "torn", true);
              } else {
                parts.damage(offset, reason, "bytes", bytes, "torn", torn);
              }
            },
            true)) {
      RecordBuffer record = new RecordBuffer();
      while (records.readRecord(record)) {
        if (tornAt >= 0) {
          parts.damage(records.lastRecordOffset(), Finding.afterTornWrite(tornAt));
          tornAt = -1;
        }
        printer.print(record.buffer(), record.length(), records.lastRecordOffset());
      }
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
  }

  private void batch(ByteBuffer record, int length, long offset) {
    if (length < EncodedBatch.HEADER) {
      parts.damage(offset, "a record of " + length + " bytes is too short to be a batch");
      return;
    }
    long sequence = record.getLong(0);
    long count = record.getInt(Long.BYTES) & 0xffffffffL;
    parts.part(0, "batch", "offset", offset, "bytes", length, "sequence", sequence, "count", count);
    operations.start(record, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    long found = 0;
    try {
      for (; operations.next(); found++) {
        byte[] key = InternalKey.copy(record, operations.keyOffset(), operations.keyLength());
        if (operations.kind() == ValueKind.VALUE) {
          byte[] value =
              InternalKey.copy(record, operations.valueOffset(), operations.valueLength());
          parts.part(1, "put", "sequence", sequence + found, "key", key, "value", value);
        } else {
          parts.part(1, "delete", "sequence", sequence + found, "key", key);
        }
      }
    } catch (MalformedBatchException e) {
      parts.damage(offset, "batch: " + e.getMessage());
      return;
    }
    if (found != count) {
      parts.damage(offset, "the batch has " + found + " operations, but its header says " + count);
    }
  }

  private void edit(ByteBuffer record, int length, long offset) {
    parts.part(0, "edit", "offset", offset, "bytes", length);
    try {
      edit(VersionEditCodec.decode(record, 0, length, file.toString(), offset));
    } catch (CorruptionException e) {
      parts.damage(e);
    } catch (UnsupportedFormatException e) {
      parts.damage(offset, String.valueOf(e.getMessage()));
    }
  }

  private void edit(VersionEdit edit) {
    String comparator = edit.comparatorName();
    if (comparator != null) {
      parts.part(1, "comparator", "name", comparator);
    }
    number("logNumber", edit.logNumber());
    number("previousLogNumber", edit.previousLogNumber());
    number("nextFileNumber", edit.nextFileNumber());
    number("lastSequence", edit.lastSequence());
    for (VersionEdit.CompactPointer pointer : edit.compactPointers()) {
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
    for (VersionEdit.DeletedFile deleted : edit.deletedFiles()) {
      parts.part(1, "deletedFile", "level", deleted.level(), "number", deleted.number());
    }
    for (VersionEdit.NewFile added : edit.newFiles()) {
      FileMetadata table = added.file();
      parts.part(
          1,
          "newFile",
          "level",
          added.level(),
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
    if (number != VersionEdit.UNSET) {
      parts.part(1, type, "number", number);
    }
  }

  /** Returns the user key of an internal key, or the bytes themselves if they are not one. */
  static byte[] userKey(byte[] internalKey) {
    return InternalKey.isWellFormed(internalKey) ? InternalKey.userKey(internalKey) : internalKey;
  }

  private static long sequence(byte[] internalKey) {
    return InternalKey.sequence(InternalKey.tag(internalKey));
  }
}

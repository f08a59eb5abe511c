package dev.kv.tools.dump;

import dev.kv.CorruptionException;
import dev.kv.Env;
import dev.kv.UnsupportedFormatException;
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
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.LogCheck;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * Takes one log, MANIFEST or batch apart. Damage is a part of its own, with its offset, and the dump
 * goes on behind it.
 */
class FileDump {
  private final Env env;
  private final Path file;
  private final Sink sink;
  private final BatchCursor operations = new BatchCursor();
  private boolean damaged;

  /** Where the log is torn, with nothing whole behind it yet; or -1. */
  private long tornAt = -1;

  /** Receives the parts of a file. */
  @FunctionalInterface
  interface Sink {
    /**
     * Takes one part.
     *
     * @param depth 0, or how deep it stands inside others
     * @param members its members by name: numbers, texts, and bytes from the file
     */
    void part(int depth, String type, Map<String, Object> members);
  }

  FileDump(Env env, Path file, Sink sink) {
    this.env = env;
    this.file = file;
    this.sink = sink;
  }

  /** Returns whether damage was found; the torn end of a log, which a crash leaves, is none. */
  final boolean isDamaged() {
    return damaged;
  }

  final Path file() {
    return file;
  }

  /** Takes a log apart. */
  final void log() throws IOException {
    records(this::batch, true);
  }

  /** Takes a MANIFEST apart. */
  final void manifest() throws IOException {
    records(this::edit, false);
  }

  /** Takes the batch apart that the file consists of. */
  final void batch() throws IOException {
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
              } else {
                damaged = true;
              }
              damagePart(offset, reason, "bytes", bytes, "torn", torn);
            },
            true)) {
      RecordBuffer record = new RecordBuffer();
      while (records.readRecord(record)) {
        if (tornAt >= 0) {
          damage(records.lastRecordOffset(), LogCheck.behindTornWrite(tornAt));
          tornAt = -1;
        }
        printer.print(record.buffer(), record.length(), records.lastRecordOffset());
      }
      part(
          0,
          "end",
          "offset",
          records.endOfLastRecord(),
          "bytesBehind",
          records.bytesBehindLastRecord(),
          "end",
          records.end().name().toLowerCase(Locale.ROOT));
    }
  }

  private void batch(ByteBuffer record, int length, long offset) {
    if (length < EncodedBatch.HEADER) {
      damage(offset, "a record of " + length + " bytes is too short for a batch");
      return;
    }
    long sequence = record.getLong(0);
    long count = record.getInt(Long.BYTES) & 0xffffffffL;
    part(0, "batch", "offset", offset, "bytes", length, "sequence", sequence, "count", count);
    operations.start(record, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    long found = 0;
    try {
      for (; operations.next(); found++) {
        byte[] key = InternalKey.copy(record, operations.keyOffset(), operations.keyLength());
        if (operations.kind() == ValueKind.VALUE) {
          byte[] value =
              InternalKey.copy(record, operations.valueOffset(), operations.valueLength());
          part(1, "put", "sequence", sequence + found, "key", key, "value", value);
        } else {
          part(1, "delete", "sequence", sequence + found, "key", key);
        }
      }
    } catch (MalformedBatchException e) {
      damage(offset, "batch: " + e.getMessage());
      return;
    }
    if (found != count) {
      damage(offset, "the batch says that it has " + count + " operations, and has " + found);
    }
  }

  private void edit(ByteBuffer record, int length, long offset) {
    part(0, "edit", "offset", offset, "bytes", length);
    try {
      edit(VersionEditCodec.decode(record, 0, length, file.toString(), offset));
    } catch (CorruptionException e) {
      damage(e);
    } catch (UnsupportedFormatException e) {
      damage(offset, String.valueOf(e.getMessage()));
    }
  }

  private void edit(VersionEdit edit) {
    String comparator = edit.comparatorName();
    if (comparator != null) {
      part(1, "comparator", "name", comparator);
    }
    number("logNumber", edit.logNumber());
    number("previousLogNumber", edit.previousLogNumber());
    number("nextFileNumber", edit.nextFileNumber());
    number("lastSequence", edit.lastSequence());
    for (VersionEdit.CompactPointer pointer : edit.compactPointers()) {
      part(
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
      part(1, "deletedFile", "level", deleted.level(), "number", deleted.number());
    }
    for (VersionEdit.NewFile added : edit.newFiles()) {
      FileMetadata table = added.file();
      part(
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
      part(1, type, "number", number);
    }
  }

  /** Returns the user key of an internal key; what is none as it is. */
  static byte[] userKey(byte[] internalKey) {
    return InternalKey.isWellFormed(internalKey) ? InternalKey.userKey(internalKey) : internalKey;
  }

  private static long sequence(byte[] internalKey) {
    return InternalKey.sequence(InternalKey.tag(internalKey));
  }

  /** Hands on a part; {@code members} are names and values in turn. */
  final void part(int depth, String type, Object... members) {
    Map<String, Object> map = new LinkedHashMap<>();
    for (int i = 0; i < members.length; i += 2) {
      map.put((String) members[i], members[i + 1]);
    }
    sink.part(depth, type, map);
  }

  final void damage(CorruptionException e) {
    Finding finding = Finding.damage("", e);
    damage(finding.offset(), finding.text());
  }

  final void damage(long offset, String text, Object... more) {
    damaged = true;
    damagePart(offset, text, more);
  }

  private void damagePart(long offset, String text, Object... more) {
    Object[] members = new Object[4 + more.length];
    members[0] = "offset";
    members[1] = offset;
    members[2] = "text";
    members[3] = text;
    System.arraycopy(more, 0, members, 4, more.length);
    part(0, "damage", members);
  }
}

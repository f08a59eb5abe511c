package dev.kv.tools;

import dev.kv.CorruptionException;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.MalformedBatchException;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.table.TableInspector;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Prints every entry of a directory's tables and logs, file by file, without an order of keys. */
final class RawScan {
  private final Meter meter = new Meter();
  private final Path directory;
  private final EntryFormat format;
  private long left;

  RawScan(Path directory, EntryFormat format, long limit) {
    this.directory = directory;
    this.format = format;
    this.left = limit;
  }

  void print(Output out) throws IOException {
    List<FileName> files = files();
    long bytes =
        DatabaseFiles.bytes(directory, FileName.Kind.TABLE)
            + DatabaseFiles.bytes(directory, FileName.Kind.LOG);
    try (Progress progress = Progress.printing("scan", bytes, meter::bytesRead)) {
      progress.begin();
      for (FileName file : files) {
        if (left == 0) {
          return;
        }
        if (file.kind() == FileName.Kind.TABLE) {
          printTable(file.number(), out);
        } else {
          printLog(FileNames.log(directory, file.number()), out);
        }
      }
    }
  }

  private List<FileName> files() throws IOException {
    List<FileName> files =
        DatabaseFiles.files(directory).values().stream()
            .filter(RawScan::holdsEntries)
            .sorted(Comparator.comparingLong(FileName::number))
            .toList();
    if (files.isEmpty()) {
      throw new Failure(directory + ": not a database: it has no tables and no logs");
    }
    return files;
  }

  private static boolean holdsEntries(FileName file) {
    return file.kind() == FileName.Kind.TABLE || file.kind() == FileName.Kind.LOG;
  }

  private void printTable(long number, Output out) throws IOException {
    Path current = FileNames.table(directory, number);
    Path file = Files.exists(current) ? current : FileNames.oldTable(directory, number);
    try (TableInspector table = new TableInspector(meter, file)) {
      for (TableInspector.BlockEntry block : table.readHandles(table.footer().index())) {
        if (left == 0) {
          return;
        }
        table.read(block.handle(), true);
        table.forEachEntry((key, value) -> printEntry(file, block, key, value, out));
      }
    }
  }

  private void printEntry(
      Path file, TableInspector.BlockEntry block, byte[] key, byte[] value, Output out) {
    if (left == 0) {
      return;
    }
    if (!InternalKey.isWellFormed(key)) {
      throw new CorruptionException(
          "a key without sequence number and type", file.toString(), block.handle().offset());
    }
    long tag = InternalKey.tag(key);
    print(
        InternalKey.sequence(tag),
        ValueKind.of(InternalKey.kindCode(tag)),
        InternalKey.userKey(key),
        value,
        out);
  }

  private void printLog(Path file, Output out) throws IOException {
    String name = file.toString();
    try (LogReader records =
        new LogReader(
            name,
            meter.openSequential(file),
            (offset, bytes, reason, torn) -> {
              throw new CorruptionException(reason + ", " + bytes + " bytes", name, offset);
            },
            true)) {
      RecordBuffer record = new RecordBuffer();
      while (left > 0 && records.readRecord(record)) {
        printBatch(record, name, records.lastRecordOffset(), out);
      }
    }
  }

  private void printBatch(RecordBuffer record, String file, long offset, Output out) {
    if (record.length() < EncodedBatch.HEADER) {
      throw new CorruptionException("a record too short for a batch", file, offset);
    }
    ByteBuffer batch = record.buffer();
    long sequence = batch.getLong(0);
    BatchCursor operations = new BatchCursor();
    operations.start(batch, EncodedBatch.HEADER, record.length() - EncodedBatch.HEADER);
    try {
      for (; left > 0 && operations.next(); sequence++) {
        byte[] key = InternalKey.copy(batch, operations.keyOffset(), operations.keyLength());
        byte[] value = InternalKey.copy(batch, operations.valueOffset(), operations.valueLength());
        print(sequence, operations.kind(), key, value, out);
      }
    } catch (MalformedBatchException malformed) {
      throw new CorruptionException("batch: " + malformed.getMessage(), file, offset, malformed);
    }
  }

  private void print(
      long sequence, @Nullable ValueKind kind, byte[] key, byte[] value, Output out) {
    left--;
    String type = kind == ValueKind.VALUE ? "put" : "delete";
    out.line(format.versionLine(sequence, type, key, value));
  }
}

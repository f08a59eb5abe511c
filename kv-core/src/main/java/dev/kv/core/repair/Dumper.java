package dev.kv.core.repair;

import dev.kv.Dump;
import dev.kv.Options;
import dev.kv.bytes.Escape;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.MalformedBatchException;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Prints one file of a database as text, one line per entry. Prints damage as a line, too, and
 * continues after it.
 */
public final class Dumper {
  private final Path path;
  private final Options options;
  private final Dump.Sink sink;

  private Dumper(Path path, Options options, Dump.Sink sink) {
    this.path = path;
    this.options = options;
    this.sink = sink;
  }

  /** Prints {@code file} to {@code sink}. The kind of file is derived from its name. */
  public static void dump(Path file, Options options, Dump.Sink sink) {
    new Dumper(file, options, sink).run();
  }

  private void run() {
    Path last = path.getFileName();
    @Nullable FileName name = last == null ? null : FileNames.parse(last.toString());
    FileName.Kind kind = name == null ? FileName.Kind.LOCK : name.kind();
    try {
      switch (kind) {
        case LOG -> records(this::batch);
        case MANIFEST -> records(this::edit);
        case TABLE -> table();
        default ->
            throw new IllegalArgumentException(
                Escape.text(path.toString())
                    + ": not the name of a log, MANIFEST or table, whose kind tells how to read"
                    + " it");
      }
    } catch (IOException e) {
      throw new DBIOException("cannot read " + Escape.text(path.toString()) + ": " + e, e);
    }
  }

  /** Prints one record. */
  private interface RecordPrinter {
    void print(ByteBuffer record, int length, long offset);
  }

  private void records(RecordPrinter printer) throws IOException {
    try (LogReader reader =
        new LogReader(
            options.env(),
            path,
            (offset, bytes, reason, torn) ->
                sink.line("--- offset " + offset + ": damaged, " + bytes + " bytes: " + reason))) {
      RecordBuffer record = new RecordBuffer();
      while (reader.readRecord(record)) {
        printer.print(record.buffer(), record.length(), reader.lastRecordOffset());
      }
      sink.line("--- ends at offset " + reader.endOfLastRecord() + " (" + reader.end() + ")");
    }
  }

  private void batch(ByteBuffer record, int length, long offset) {
    if (length < EncodedBatch.HEADER) {
      sink.line("--- offset " + offset + ": damaged, a record of " + length + " bytes is no batch");
      return;
    }
    long sequence = record.getLong(0);
    sink.line("--- offset " + offset + "; sequence " + Long.toUnsignedString(sequence));
    BatchCursor cursor = new BatchCursor();
    cursor.start(record, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    try {
      while (cursor.next()) {
        String key = quote(record, cursor.keyOffset(), cursor.keyLength());
        sink.line(
            cursor.kind() == ValueKind.VALUE
                ? "  put " + key + " " + quote(record, cursor.valueOffset(), cursor.valueLength())
                : "  del " + key);
      }
    } catch (MalformedBatchException e) {
      sink.line("  damaged: " + e.getMessage());
    }
  }

  private void edit(ByteBuffer record, int length, long offset) {
    sink.line("--- offset " + offset);
    try {
      VersionEditCodec.decode(record, length, path.toString(), offset)
          .describe()
          .lines()
          .forEach(line -> sink.line("  " + line));
    } catch (CorruptionException e) {
      sink.line("  damaged: " + e.getMessage());
    }
  }

  private void table() throws IOException {
    try (TableContents table = new TableContents(options.env(), path)) {
      for (Handle block : dataBlocks(table)) {
        try {
          table.read(block, true);
          table.forEachEntry(this::entry);
        } catch (CorruptionException e) {
          damage(e);
        }
      }
    }
  }

  private void damage(CorruptionException e) {
    sink.line("--- damaged: " + e.getMessage());
  }

  /**
   * Returns the blocks that the index names. If the index cannot be read, returns the blocks found
   * without it.
   */
  private List<Handle> dataBlocks(TableContents table) {
    try {
      return table.readNamed(table.footer().index());
    } catch (CorruptionException e) {
      damage(e);
    }
    List<Handle> blocks = new ArrayList<>();
    long end = 0;
    for (TableContents.Found found : table.findBlocks()) {
      long offset = found.handle().offset();
      if (offset > end) {
        sink.line("--- offset " + end + ": damaged, " + (offset - end) + " bytes: no block");
      }
      if (found.role() == TableContents.Role.DATA) {
        blocks.add(found.handle());
      }
      end = found.end();
    }
    return blocks;
  }

  private void entry(byte[] key, byte[] value) {
    if (!InternalKey.isWellFormed(key)) {
      sink.line("--- damaged: a key without sequence number and type, " + quote(key));
      return;
    }
    long tag = InternalKey.tag(key);
    sink.line(
        quote(InternalKey.userKey(key))
            + " @ "
            + InternalKey.sequence(tag)
            + (InternalKey.kindCode(tag) == ValueKind.VALUE.code()
                ? " : val => " + quote(value)
                : " : del"));
  }

  private static String quote(byte[] bytes) {
    return "'" + Escape.bytes(bytes) + "'";
  }

  private static String quote(ByteBuffer buffer, int offset, int length) {
    return quote(InternalKey.copy(buffer, offset, length));
  }
}

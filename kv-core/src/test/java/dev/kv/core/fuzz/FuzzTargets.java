package dev.kv.core.fuzz;

import static dev.kv.core.Bytes.direct;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Dump;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.BytesFile;
import dev.kv.core.batch.BatchCursor;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.batch.MalformedBatchException;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.KeyComparator;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.key.ValueKind;
import dev.kv.core.log.LogBytes;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.table.TableScan;
import dev.kv.core.table.block.BlockIterator;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.options.CompressionType;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Has a target for each decoder of bytes from disk. A target accepts any input. It throws an {@link
 * AssertionError} if the decoder throws an exception that is not a {@link DBException}, does not
 * end, returns bytes from outside the input, or gives different results for two ways of reading. If
 * the first byte of an input sets modes, the constants here are its bits.
 */
public final class FuzzTargets {
  private static final int SEAL = 1;
  private static final int SECOND = 2;
  private static final int THIRD = 4;
  private static final int FOURTH = 8;
  private static final int MODE_SHIFT = 4;

  static {
    // Every damaged input would be logged.
    System.setProperty("org.slf4j.simpleLogger.log.dev.kv", "off");
  }

  private FuzzTargets() {}

  /** Returns the targets by name, in a fixed order. */
  static Map<String, Consumer<byte[]>> all() {
    Map<String, Consumer<byte[]>> targets = new LinkedHashMap<>();
    targets.put("logReader", FuzzTargets::logReader);
    targets.put("versionEdit", FuzzTargets::versionEdit);
    targets.put("blockIterator", FuzzTargets::blockIterator);
    targets.put("table", FuzzTargets::table);
    targets.put("batch", FuzzTargets::batch);
    targets.put("fileNames", FuzzTargets::fileNames);
    targets.put("directory", FuzzTargets::directory);
    targets.put("repairAndDump", FuzzTargets::repairAndDump);
    return targets;
  }

  /** {@code modes log}; modes: seal, none, short reads, from the middle. */
  static void logReader(byte[] input) {
    int modes = modes(input);
    byte[] rest = rest(input);
    byte[] log = (modes & SEAL) != 0 ? Checksums.ofLog(rest) : rest;
    int most = (modes & THIRD) != 0 ? 7 : Integer.MAX_VALUE;
    long from = (modes & FOURTH) != 0 ? log.length / 2 : 0;
    LogReader.Reporter reporter =
        (offset, bytes, reason, torn) ->
            check(
                offset >= 0 && bytes >= 0 && offset <= log.length,
                "a report of " + bytes + " bytes at " + offset);
    Env env = BytesFile.env(() -> new BytesFile(log, most));
    ByteBuffer block = LogReader.newBlock();
    try (LogReader reader = new LogReader(env, Path.of("log"), reporter, from, block)) {
      RecordBuffer record = new RecordBuffer();
      long before = -1;
      long sum = 0;
      while (reader.readRecord(record)) {
        check(reader.lastRecordOffset() > before, "records that do not ascend");
        check(
            reader.endOfLastRecord() <= log.length, "a record that ends after the end of the file");
        before = reader.lastRecordOffset();
        sum += LogBytes.copy(record).length;
        check(sum <= log.length, "more bytes than the file has");
      }
      check(!reader.readRecord(record), "a record after the end");
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  /** The record of a version edit. */
  static void versionEdit(byte[] input) {
    expectDBExceptions(
        () -> {
          VersionEdit edit = decode(input);
          byte[] encoded = VersionEditCodec.encode(edit);
          String text = decode(encoded).describe();
          check(text.equals(edit.describe()), "an edit that changes when it is written");
          check(isPrintable(text.replace("\n", "")), "unprintable description");
        });
  }

  private static VersionEdit decode(byte[] record) {
    return VersionEditCodec.decode(direct(record), record.length, "MANIFEST", 0);
  }

  /** {@code modes block}; modes: -, internal keys. */
  static void blockIterator(byte[] input) {
    boolean internal = (modes(input) & SECOND) != 0;
    byte[] block = rest(input);
    KeyComparator order =
        internal
            ? new InternalKeyComparator(DBComparator.bytewise())
            : new UserKeyComparator(DBComparator.bytewise());
    expectDBExceptions(
        () -> {
          try (OffHeapBuffer scratch =
              new OffHeapBuffer(new OffHeapBudget(0), BlockIterator.SCRATCH_BYTES)) {
            BlockIterator entries = new BlockIterator(order, scratch);
            entries.reset(direct(block), block.length, "table", 0);
            walk(entries, block.length, internal);
          }
        });
  }

  private static void walk(BlockIterator entries, int length, boolean internal) {
    byte[] target = new byte[internal ? InternalKey.TRAILER : 0];
    int steps = 0;
    for (entries.seekToFirst(); entries.isValid(); entries.next()) {
      check(++steps <= length, "a scan that does not end");
      target = InternalKey.copy(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
      InternalKey.copy(entries.valueBuffer(), entries.valueOffset(), entries.valueLength());
    }
    steps = 0;
    for (entries.seekToLast(); entries.isValid(); entries.prev()) {
      check(++steps <= 2 * length, "a backward scan that does not end");
      InternalKey.copy(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
    }
    entries.seek(direct(target), 0, target.length);
    if (entries.isValid()) {
      entries.prev();
    }
  }

  /** {@code modes table}; modes: seal, user keys, no verification, filter. */
  static void table(byte[] input) {
    int modes = modes(input);
    byte[] rest = rest(input);
    byte[] table = (modes & SEAL) != 0 ? Checksums.ofTable(rest) : rest;
    TableScan scan =
        new TableScan((modes & SECOND) == 0, (modes & THIRD) == 0, (modes & FOURTH) != 0);
    int limit = 10_000;
    expectDBExceptions(() -> scan.read(table, limit));
  }

  /** The record of a batch. */
  static void batch(byte[] input) {
    if (input.length < EncodedBatch.HEADER) {
      return;
    }
    EncodedBatch copy = new EncodedBatch();
    int operations = 0;
    try {
      operations = copyOperations(direct(input), input.length, copy);
    } catch (MalformedBatchException e) {
      return;
    }
    check(copy.count() == operations, "operations that are not counted");
    check(copy.length() <= input.length, "operations that grow");
    EncodedBatch again = new EncodedBatch();
    byte[] encoded = Arrays.copyOf(copy.bytes(), copy.length());
    copyOperations(direct(encoded), encoded.length, again);
    check(
        Arrays.equals(encoded, Arrays.copyOf(again.bytes(), again.length())),
        "a batch that changes when it is written");
  }

  private static int copyOperations(ByteBuffer batch, int length, EncodedBatch into) {
    BatchCursor cursor = new BatchCursor();
    cursor.start(batch, EncodedBatch.HEADER, length - EncodedBatch.HEADER);
    int operations = 0;
    while (cursor.next()) {
      operations++;
      byte[] key = InternalKey.copy(batch, cursor.keyOffset(), cursor.keyLength());
      if (cursor.kind() == ValueKind.VALUE) {
        into.put(key, InternalKey.copy(batch, cursor.valueOffset(), cursor.valueLength()));
      } else {
        into.delete(key);
      }
    }
    return operations;
  }

  /** The name of a file. */
  static void fileNames(byte[] input) {
    for (String name :
        new String[] {
          new String(input, StandardCharsets.UTF_8), new String(input, StandardCharsets.ISO_8859_1)
        }) {
      FileName parsed = FileNames.parse(name);
      if (parsed != null) {
        check(parsed.number() >= 0, "a negative number");
        check(isPrintable(name) && !name.contains("/"), "a name that is no plain one");
        Path written = written(parsed);
        check(
            written == null
                || isSameFile(parsed, FileNames.parse(written.getFileName().toString())),
            "a name that changes when it is written");
      }
    }
  }

  private static boolean isSameFile(FileName name, @Nullable FileName written) {
    return written != null && written.kind() == name.kind() && written.number() == name.number();
  }

  private static @Nullable Path written(FileName name) {
    Path directory = Path.of("db");
    return switch (name.kind()) {
      case LOG -> FileNames.log(directory, name.number());
      case TABLE -> FileNames.table(directory, name.number());
      case MANIFEST -> FileNames.manifest(directory, name.number());
      case TEMP -> FileNames.temp(directory, name.number());
      default -> null;
    };
  }

  /**
   * {@code modes files}, as in {@link FileSet}; modes: seal, read-only, paranoid, filter, recovery
   * mode.
   */
  static void directory(byte[] input) {
    Env env = Env.inMemory();
    Path directory = Path.of("/db");
    Options options = options(input, env);
    write(input, env, directory);
    expectDBExceptions(
        () -> {
          if ((modes(input) & SECOND) != 0) {
            try (ReadOnlyDB db = DB.openReadOnly(directory, options)) {
              expectDBExceptions(() -> scan(db));
            }
          } else {
            try (DB db = DB.open(directory, options)) {
              use(db);
            }
          }
        });
    expectDBExceptions(
        () -> {
          try (DB db = DB.open(directory, options)) {
            scan(db);
          }
        });
  }

  private static void use(DB db) {
    expectDBExceptions(() -> scan(db));
    db.put(WriteOptions.SYNC, new byte[] {'k'}, new byte[] {'v'});
    check(
        Arrays.equals(db.get(new byte[] {'k'}), new byte[] {'v'}), "a write that is not read back");
    db.admin().compactRange(null, null);
  }

  private static int scan(DBReader db) {
    try (DBIterator cursor = db.iterator()) {
      int entries = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        entries++;
        byte[] key = cursor.key();
        cursor.value();
        expectDBExceptions(() -> db.get(key));
      }
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        cursor.valueSlice();
      }
      return entries;
    }
  }

  /** Takes the same input. A repaired database must open, and all of it must be readable. */
  static void repairAndDump(byte[] input) {
    Env env = Env.inMemory();
    Path directory = Path.of("/db");
    Options options = options(input, env);
    write(input, env, directory);
    for (String name : FileSet.NAMES) {
      if (!name.equals("CURRENT")) {
        dump(env, directory.resolve(name), options);
      }
    }
    if (!repaired(directory, options)) {
      return;
    }
    try (DB db = DB.open(directory, options)) {
      scan(db);
    }
  }

  private static boolean repaired(Path directory, Options options) {
    boolean[] done = {false};
    expectDBExceptions(
        () -> {
          DB.repair(directory, options);
          done[0] = true;
        });
    return done[0];
  }

  private static void dump(Env env, Path file, Options options) {
    try {
      if (!env.exists(file)) {
        return;
      }
    } catch (IOException e) {
      throw new AssertionError(e);
    }
    expectDBExceptions(
        () -> Dump.file(file, options, line -> check(isPrintable(line), "unprintable: " + line)));
  }

  private static Options options(byte[] input, Env env) {
    int modes = modes(input);
    return Options.builder()
        .env(env)
        .filterPolicy((modes & FOURTH) != 0 ? FilterPolicy.bloom(10) : null)
        .recoveryMode(
            (modes & THIRD) != 0
                ? RecoveryMode.PARANOID
                : RecoveryMode.values()[modes >> MODE_SHIFT & 3])
        .compression(CompressionType.NONE)
        .writeBufferSize(64 << 10)
        .memory(m -> m.offHeapLimit(64 << 20))
        .build();
  }

  private static void write(byte[] input, Env env, Path directory) {
    try {
      FileSet.write(input, Math.min(1, input.length), (modes(input) & SEAL) != 0, env, directory);
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  private static int modes(byte[] input) {
    return input.length == 0 ? 0 : input[0] & 0xff;
  }

  private static byte[] rest(byte[] input) {
    return input.length == 0 ? input : Arrays.copyOfRange(input, 1, input.length);
  }

  private static boolean isPrintable(String text) {
    return text.chars().allMatch(c -> c >= ' ' && c <= '~');
  }

  private static void check(boolean holds, String otherwise) {
    if (!holds) {
      throw new AssertionError(otherwise);
    }
  }

  /** Runs something that may end in an exception of the library's own, with no bug behind it. */
  private static void expectDBExceptions(Runnable action) {
    try {
      action.run();
    } catch (DBException e) {
      requireNoBugBehind(e);
    }
  }

  private static void requireNoBugBehind(Throwable failure) {
    for (Throwable each = failure; each != null; each = each.getCause()) {
      boolean bug =
          each instanceof AssertionError
              || each instanceof StackOverflowError
              || each instanceof RuntimeException
                  && !(each instanceof DBException)
                  && !(each instanceof MalformedBatchException);
      if (bug) {
        throw new AssertionError("a bug behind " + failure, each);
      }
      for (Throwable suppressed : each.getSuppressed()) {
        requireNoBugBehind(suppressed);
      }
    }
  }
}

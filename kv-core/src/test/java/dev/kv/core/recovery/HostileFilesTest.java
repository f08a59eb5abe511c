package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Dump;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.core.LogFiles;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBLockedException;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Files from strangers: lengths that lie, handles that point anywhere, names with paths in them,
 * links. Their checksums are right. Each is opened, read, dumped and repaired: with a named
 * corruption or well, within seconds, and without memory that the file itself does not account for.
 */
@ExtendWith(LeakCheck.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class HostileFilesTest {
  private static final long ALLOCATED = 48 << 20;
  private static final long SECONDS = 60;
  private static final long MAGIC = 0xdb4775248b80fb57L;

  /** The one lie that a scan need not notice: it begins at the first entry without it. */
  private static final String NEEDLESS = "restart behind the block";

  private static final byte NONE = 0;
  private static final byte SNAPPY = 1;
  private static final byte ZSTD = 2;

  @TempDir Path temp;
  private Path directory;

  private static Options options() {
    return Options.builder()
        .createIfMissing(true)
        .memory(m -> m.offHeapLimit(64 << 20))
        .filterPolicy(FilterPolicy.bloom(10))
        .build();
  }

  @BeforeEach
  void makeDatabase() {
    directory = temp.resolve("db");
    try (DB db = DB.open(directory, options())) {
      for (int i = 0; i < 200; i++) {
        db.put(DbTestBase.b(DbTestBase.key(i)), new byte[100]);
      }
      db.admin().flush();
      db.put(DbTestBase.b("in the log"), new byte[10]);
    }
  }

  private Path file(String ending) {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(each -> each.toString().contains(ending)).findFirst().orElseThrow();
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  // Pieces of tables.

  private static void varint(ByteArrayOutputStream out, long value) {
    long rest = value;
    while ((rest & ~0x7fL) != 0) {
      out.write((int) (rest & 0x7f | 0x80));
      rest >>>= 7;
    }
    out.write((int) rest);
  }

  private static byte[] fixed32(long value) {
    return ByteBuffer.allocate(4).order(ByteOrder.LITTLE_ENDIAN).putInt((int) value).array();
  }

  private static byte[] handle(long offset, long size) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    varint(out, offset);
    varint(out, size);
    return out.toByteArray();
  }

  private static byte[] stored(byte[] block, byte type) {
    byte[] sealed = Arrays.copyOf(block, block.length + 5);
    sealed[block.length] = type;
    MaskedCrc32c crc = new MaskedCrc32c();
    crc.update(ByteBuffer.wrap(sealed), 0, block.length + 1);
    System.arraycopy(fixed32(crc.maskedValue()), 0, sealed, block.length + 1, 4);
    return sealed;
  }

  static byte[] entry(long shared, long unshared, long valueLength, byte[] rest) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    varint(out, shared);
    varint(out, unshared);
    varint(out, valueLength);
    out.writeBytes(rest);
    return out.toByteArray();
  }

  static byte[] block(byte[] entries, long restarts) {
    return concat(entries, fixed32(0), fixed32(restarts));
  }

  static byte[] concat(byte[]... parts) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    for (byte[] part : parts) {
      out.writeBytes(part);
    }
    return out.toByteArray();
  }

  private static byte[] footer(byte[] metaindex, byte[] index) {
    byte[] footer = Arrays.copyOf(concat(metaindex, index), 48);
    ByteBuffer.wrap(footer).order(ByteOrder.LITTLE_ENDIAN).putLong(40, MAGIC);
    return footer;
  }

  static byte[] internalKey(String user) {
    return concat(user.getBytes(StandardCharsets.US_ASCII), new byte[] {1, 1, 0, 0, 0, 0, 0, 0});
  }

  /**
   * A table of one data block, stored as it is given, and an index of one entry with this handle's
   * value.
   */
  private static byte[] table(byte[] data, byte[] dataHandle, byte[] metaindex) {
    byte[] key = internalKey("zzz");
    byte[] index =
        stored(block(entry(0, key.length, dataHandle.length, concat(key, dataHandle)), 1), NONE);
    byte[] meta = stored(metaindex, NONE);
    return concat(
        data,
        meta,
        index,
        footer(
            handle(data.length, metaindex.length),
            handle(data.length + meta.length, index.length - 5)));
  }

  private static final byte[] EMPTY_BLOCK = block(new byte[0], 1);

  static byte[] tableOf(byte[] dataBlock, byte type) {
    return table(stored(dataBlock, type), handle(0, dataBlock.length), EMPTY_BLOCK);
  }

  private static byte[] pointing(byte[] dataHandle) {
    return table(stored(EMPTY_BLOCK, NONE), dataHandle, EMPTY_BLOCK);
  }

  private static byte[] withFilter(byte[] filter, byte[] filterHandle) {
    byte[] key = internalKey("key000000");
    byte[] data = stored(block(entry(0, key.length, 1, concat(key, new byte[1])), 1), NONE);
    byte[] name = "filter.leveldb.BuiltinBloomFilter2".getBytes(StandardCharsets.US_ASCII);
    byte[] meta = block(entry(0, name.length, filterHandle.length, concat(name, filterHandle)), 1);
    byte[] table = table(concat(data, filter), handle(0, data.length - 5), meta);
    return table;
  }

  private static byte[] bombOfSnappy(long claimed) {
    ByteArrayOutputStream out = new ByteArrayOutputStream();
    varint(out, claimed);
    out.writeBytes(new byte[] {0, 'a', 0, 0, 0});
    return out.toByteArray();
  }

  /** As many blocks of one byte repeated as the length has room for; each claims 128 KiB. */
  private static byte[] bombOfZstd(int length, long claimed) {
    ByteBuffer frame = ByteBuffer.allocate(length).order(ByteOrder.LITTLE_ENDIAN);
    frame.putInt(0xfd2fb528).put((byte) 0xe0).putLong(claimed);
    while (frame.remaining() >= 4) {
      int last = frame.remaining() < 8 ? 1 : 0;
      int header = last | 1 << 1 | (128 << 10) << 3;
      frame.put((byte) header).put((byte) (header >>> 8)).put((byte) (header >>> 16));
      frame.put((byte) 0);
    }
    return frame.array();
  }

  static Stream<Arguments> tables() {
    byte[] key = internalKey("key000000");
    byte[] good = entry(0, key.length, 1, concat(key, new byte[1]));
    long huge = Long.MAX_VALUE;
    return Stream.of(
        Arguments.of("nothing", new byte[0]),
        Arguments.of("shorter than a footer", new byte[47]),
        Arguments.of("a footer alone", footer(handle(0, 0), handle(0, 0))),
        Arguments.of("index far away", footer(handle(0, 8), handle(huge, 8))),
        Arguments.of("index without end", footer(handle(0, 8), handle(0, huge))),
        Arguments.of("offset and size overflow", footer(handle(0, 8), handle(huge, huge))),
        Arguments.of("offset and size wrap", footer(handle(0, 8), handle(-1L, 6))),
        Arguments.of("index of all but 2 GiB", footer(handle(0, 8), handle(0, 0x7ffffff0L))),
        Arguments.of("data far away", pointing(handle(1L << 40, 8))),
        Arguments.of("data without end", pointing(handle(0, huge))),
        Arguments.of("data at minus one", pointing(handle(-1L, 8))),
        Arguments.of("data of 2 GiB", pointing(handle(0, 1L << 31))),
        Arguments.of("handle that does not end", pointing(new byte[] {-1, -1, -1, -1})),
        Arguments.of("too many restarts", tableOf(block(good, 0xffffffffL), NONE)),
        Arguments.of("restarts times four overflow", tableOf(block(good, 0x40000001L), NONE)),
        Arguments.of("no restarts", tableOf(concat(good, fixed32(0)), NONE)),
        Arguments.of(NEEDLESS, tableOf(concat(good, fixed32(0x7fffffff), fixed32(1)), NONE)),
        Arguments.of("shorter than its trailer", tableOf(new byte[3], NONE)),
        Arguments.of("shares what is not there", tableOf(block(entry(9, 9, 1, key), 1), NONE)),
        Arguments.of("shares 2^32-1", tableOf(block(entry(0xffffffffL, 9, 1, key), 1), NONE)),
        Arguments.of("key behind the block", tableOf(block(entry(0, 1000, 1, key), 1), NONE)),
        Arguments.of("key of 2^32-1", tableOf(block(entry(0, 0xffffffffL, 1, key), 1), NONE)),
        Arguments.of("value of 2^32-1", tableOf(block(entry(0, 9, 0xffffffffL, key), 1), NONE)),
        Arguments.of(
            "key and value overflow",
            tableOf(block(entry(0, 0x7fffffffL, 0x7fffffffL, key), 1), NONE)),
        Arguments.of(
            "key too short for a tag", tableOf(block(entry(0, 3, 0, new byte[3]), 1), NONE)),
        Arguments.of("snappy of 4 GiB", tableOf(bombOfSnappy(0xffffffffL), SNAPPY)),
        Arguments.of("snappy of 2 GiB", tableOf(bombOfSnappy(0x7fffffffL), SNAPPY)),
        Arguments.of("snappy of a MiB", tableOf(bombOfSnappy(1 << 20), SNAPPY)),
        Arguments.of("snappy without a length", tableOf(new byte[] {-1, -1, -1}, SNAPPY)),
        Arguments.of("zstd of 1 GiB", tableOf(bombOfZstd(40_000, 1 << 30), ZSTD)),
        Arguments.of("zstd of 2^62", tableOf(bombOfZstd(40_000, 1L << 62), ZSTD)),
        Arguments.of("zstd of less than it says", tableOf(bombOfZstd(64, 1 << 20), ZSTD)),
        Arguments.of("unknown compression", tableOf(EMPTY_BLOCK, (byte) 77)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("tables")
  void table_thatLies_isCorruption(String what, byte[] bytes) throws IOException {
    Path table = file(".ldb");
    // The MANIFEST's size is the first check; behind a larger file stands what it asks for.
    byte[] padded = bytes;
    long size = Files.size(table);
    if (bytes.length >= 48 && bytes.length < size) {
      padded = moved(bytes, (int) size);
    }
    Files.write(table, padded);
    if (what.equals(NEEDLESS)) {
      bounded(what, () -> get(directory));
    } else if (padded.length == size) {
      bounded(what, () -> read(directory, table));
    } else {
      bounded(what, () -> refused(directory, table));
    }
    bounded(what, () -> dump(table));
    bounded(what, () -> repair(directory));
  }

  /** Returns the table with its footer at the end of a larger file. */
  private static byte[] moved(byte[] bytes, int size) {
    byte[] padded = Arrays.copyOf(bytes, size);
    Arrays.fill(padded, bytes.length - 48, padded.length, (byte) 0);
    System.arraycopy(bytes, bytes.length - 48, padded, size - 48, 48);
    return padded;
  }

  /** A filter is there to save reads: one that lies may cost them, or is named. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2, 3, 4, 5})
  void filter_thatLies_neverReadsBehindItself(int which) throws IOException {
    byte[] filter =
        switch (which) {
          case 0 -> new byte[0];
          case 1 -> concat(fixed32(0xffffffffL), new byte[] {11});
          case 2 -> concat(fixed32(0), fixed32(0x7fffffff), new byte[] {(byte) 255});
          case 3 ->
              concat(new byte[] {1, 2, 3, (byte) 200}, fixed32(0), fixed32(4), new byte[] {0});
          default -> concat(fixed32(0), fixed32(0), new byte[] {11});
        };
    byte[] sealed = stored(filter, NONE);
    byte[] key = internalKey("key000000");
    int data = block(entry(0, key.length, 1, concat(key, new byte[1])), 1).length + 5;
    byte[] where =
        which == 4
            ? handle(1L << 50, 9)
            : which == 5 ? handle(data, 1L << 33) : handle(data, filter.length);
    Path table = file(".ldb");
    byte[] bytes = withFilter(sealed, where);
    Files.write(table, moved(bytes, (int) Math.max(bytes.length, Files.size(table))));
    bounded("filter " + which, () -> get(directory));
    bounded("filter " + which, () -> repair(directory));
  }

  private static void get(Path directory) {
    try (DB db = DB.open(directory, options())) {
      for (int i = 0; i < 200; i++) {
        db.get(DbTestBase.b(DbTestBase.key(i)));
      }
    } catch (CorruptionException e) {
      assertThat(e.file()).endsWith(".ldb");
    }
  }

  private static void read(Path directory, Path table) {
    assertThatThrownBy(
            () -> {
              try (DB db = DB.open(directory, options());
                  DBIterator cursor = db.iterator()) {
                for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                  cursor.key();
                }
              }
            })
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.file()).isEqualTo(table.toString()));
    try (DB db = DB.open(directory, options())) {
      assertThatThrownBy(() -> db.get(DbTestBase.b(DbTestBase.key(7))))
          .isInstanceOf(CorruptionException.class);
      assertThat(db.get(DbTestBase.b("in the log"))).hasSize(10);
    }
  }

  /** A table of another size than the MANIFEST says. */
  private static void refused(Path directory, Path table) {
    for (boolean readOnly : new boolean[] {false, true}) {
      assertThatThrownBy(
              () ->
                  (readOnly ? DB.openReadOnly(directory, options()) : DB.open(directory, options()))
                      .close())
          .isInstanceOfSatisfying(
              CorruptionException.class, e -> assertThat(e.file()).isEqualTo(table.toString()));
    }
  }

  private static void dump(Path file) {
    int[] lines = {0};
    try {
      Dump.file(
          file,
          options(),
          line -> {
            assertThat(line).matches("[ -~]*");
            lines[0]++;
          });
    } catch (DBException e) {
      assertThat(String.valueOf(e.getMessage())).matches("[ -~]*");
    }
    assertThat(lines[0]).isLessThan(100_000);
  }

  private static void repair(Path directory) {
    DB.repair(directory, options());
    try (DB db = DB.open(directory, options())) {
      assertThat(db.get(DbTestBase.b("in the log"))).hasSize(10);
    }
  }

  /** Runs within seconds, on no more heap than a few of the files take. */
  private static void bounded(String what, Runnable action) {
    var threads = (com.sun.management.ThreadMXBean) ManagementFactory.getThreadMXBean();
    long id = Thread.currentThread().getId();
    long before = threads.getThreadAllocatedBytes(id);
    long start = System.nanoTime();
    action.run();
    assertThat(threads.getThreadAllocatedBytes(id) - before).as(what).isLessThan(ALLOCATED);
    assertThat(System.nanoTime() - start).as(what).isLessThan(TimeUnit.SECONDS.toNanos(SECONDS));
  }

  static Stream<Arguments> records() {
    byte[] sequence = ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(300).array();
    byte[] put = {1, 1, 'k', 1, 'v'};
    return Stream.of(
        Arguments.of("shorter than a header", new byte[11]),
        Arguments.of("no operation of many", concat(sequence, fixed32(0xffffffffL))),
        Arguments.of("one operation of two", concat(sequence, fixed32(2), put)),
        Arguments.of("two operations of one", concat(sequence, fixed32(1), put, put)),
        Arguments.of(
            "key of 2^32-1", concat(sequence, fixed32(1), new byte[] {1, -1, -1, -1, -1, 15, 'k'})),
        Arguments.of(
            "value of 2^31-1",
            concat(sequence, fixed32(1), new byte[] {1, 1, 'k', -1, -1, -1, -1, 7, 'v'})),
        Arguments.of(
            "length that does not end",
            concat(sequence, fixed32(1), new byte[] {1, -1, -1, -1, -1, -1, -1})),
        Arguments.of("unknown operation", concat(sequence, fixed32(1), new byte[] {9, 1, 'k'})),
        Arguments.of("sequence of 2^64-1", concat(fixed32(-1), fixed32(-1), fixed32(1), put)),
        Arguments.of(
            "the number of the record before it",
            concat(
                ByteBuffer.allocate(8).order(ByteOrder.LITTLE_ENDIAN).putLong(201).array(),
                fixed32(1),
                new byte[] {1, 10},
                DbTestBase.b("in the log"),
                new byte[] {1, 'v'})),
        Arguments.of(
            "sequence of 2^56-1 and one more",
            concat(fixed32(-1), fixed32(0xffffffL), fixed32(2), put, put)),
        Arguments.of(
            "sequence of 2^63-1 and one more",
            concat(fixed32(-1), fixed32(0x7fffffffL), fixed32(2), put, put)));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("records")
  void logRecord_thatLies_isCorruption(String what, byte[] record) throws IOException {
    Path log = file(".log");
    LogFiles.append(Options.DEFAULT.env(), log, record);
    bounded(
        what,
        () ->
            assertThatThrownBy(() -> DB.open(directory, options()))
                .isInstanceOfSatisfying(
                    CorruptionException.class,
                    e -> assertThat(e.file()).isEqualTo(log.toString())));
    bounded(what, () -> dump(log));
    bounded(what, () -> repair(directory));
  }

  /** Of a file that the database has no use for, as an accident or a stranger leaves it. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1152921504606846975.dbtmp",
        "1152921504606846976.ldb",
        "2305841909702066176.dbtmp",
        "2305841909702066176.ldb"
      })
  void number_atTheLimit_doesNotLockTheWritesAfterIt(String name) throws IOException {
    Files.createFile(directory.resolve(name));
    for (int i = 0; i < 3; i++) {
      try (DB db = DB.open(directory, options())) {
        assertThat(db.get(DbTestBase.b("in the log"))).hasSize(10);
        assertThat(DbTestBase.s(db.get(DbTestBase.b("k"))))
            .isEqualTo(i == 0 ? DbTestBase.s(null) : "v" + (i - 1));
        db.put(DbTestBase.b("k"), DbTestBase.b("v" + i));
      }
    }
    for (int i = 0; i < 2; i++) {
      DB.repair(directory, options());
      try (DB db = DB.open(directory, options())) {
        assertThat(DbTestBase.s(db.get(DbTestBase.b("k")))).isEqualTo("v2");
        assertThat(db.get(DbTestBase.b("in the log"))).hasSize(10);
        assertThat(db.get(DbTestBase.b(DbTestBase.key(7)))).hasSize(100);
      }
    }
  }

  @Test
  void log_ofANumberBeyondTheLimit_isNamedAndMovedAwayByARepair() throws IOException {
    Path log = Files.createFile(directory.resolve("4000000000000000000.log"));
    assertThatThrownBy(() -> DB.open(directory, options()))
        .isInstanceOfSatisfying(
            CorruptionException.class, e -> assertThat(e.file()).isEqualTo(log.toString()));
    repair(directory);
    assertThat(log).doesNotExist();
    assertThat(directory.resolve("lost").resolve("4000000000000000000.log")).exists();
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "",
        "\n",
        "MANIFEST-000002",
        "MANIFEST-000002\n\n",
        "MANIFEST-000002\0\n",
        "../db/MANIFEST-000002\n",
        "./MANIFEST-000002\n",
        "/etc/passwd\n",
        "MANIFEST-000002/../MANIFEST-000002\n",
        "MANIFEST-+2\n",
        "MANIFEST--2\n",
        "MANIFEST-0x2\n",
        "MANIFEST-99999999999999999999999\n",
        "000005.ldb\n",
        "CURRENT\n",
        "\u001b[2JMANIFEST-000002\n"
      })
  void current_withAnythingButAName_isCorruption(String content) throws IOException {
    Path current = directory.resolve("CURRENT");
    Files.write(current, content.getBytes(StandardCharsets.ISO_8859_1));
    assertThatThrownBy(() -> DB.open(directory, options()))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo(current.toString());
              assertThat(String.valueOf(e.getMessage())).matches("[ -~]*");
            });
    repair(directory);
  }

  /** An open must not store what a later one refuses. */
  @ParameterizedTest
  @CsvSource({
    "NEXT, -1",
    "NEXT, 0",
    "NEXT, 1",
    "LOG, -1",
    "LOG, 0",
    "LOG, 1",
    "PREVIOUS_LOG, -1",
    "PREVIOUS_LOG, 0",
    "PREVIOUS_LOG, 1",
    "PREVIOUS_LOG, 5"
  })
  void manifest_withAFileNumberAtTheLimit_isRefusedOrOpensAgain(String which, long beyond)
      throws IOException {
    long number = VersionSet.LARGEST_NEXT_NUMBER + beyond;
    VersionEdit.Builder edit = VersionEdit.builder();
    switch (which) {
      case "NEXT" -> edit.nextFileNumber(number);
      case "LOG" -> edit.logNumber(number);
      default -> edit.previousLogNumber(number);
    }
    LogFiles.append(Env.fileSystem(), file("MANIFEST"), VersionEditCodec.encode(edit.build()));
    byte[] key = DbTestBase.b("later");
    try (DB db = DB.open(directory, tolerant())) {
      db.put(key, key);
    } catch (CorruptionException e) {
      assertThat(e.file()).contains("MANIFEST");
      assertThatThrownBy(() -> DB.open(directory, tolerant()).close())
          .isInstanceOf(CorruptionException.class);
      DB.repair(directory, options());
      key = DbTestBase.b(DbTestBase.key(0));
    }
    try (DB db = DB.open(directory, tolerant())) {
      assertThat(db.get(key)).isNotNull();
    }
  }

  @Test
  void current_ofManyBytes_isNotReadWhole() throws IOException {
    Path current = directory.resolve("CURRENT");
    byte[] bytes = new byte[64 << 20];
    Arrays.fill(bytes, (byte) 'A');
    Files.write(current, bytes);
    bounded(
        "CURRENT",
        () ->
            assertThatThrownBy(() -> DB.open(directory, options()))
                .isInstanceOf(CorruptionException.class));
  }

  /**
   * Somebody else's file under each name that an open, a destroy or a repair would write or delete.
   */
  @Test
  void links_underTheNamesOfFiles_harmNothingBehindThem() throws IOException {
    Path target = Files.writeString(temp.resolve("target"), "somebody's");
    List<String> names = List.of("000900.log", "000950.ldb", "000960.dbtmp", "000970.sst");
    for (String name : names) {
      Files.createSymbolicLink(directory.resolve(name), target);
    }
    try (DB db = DB.open(directory.resolve("."), tolerant())) {
      assertThat(db.get(DbTestBase.b("in the log"))).hasSize(10);
      db.admin().compactRange(null, null);
    }
    assertThat(target).hasContent("somebody's");
    for (String name : names) {
      Files.deleteIfExists(directory.resolve(name));
      Files.createSymbolicLink(directory.resolve(name), target);
    }
    DB.repair(directory, options());
    assertThat(target).hasContent("somebody's");
    for (String name : names) {
      Files.deleteIfExists(directory.resolve(name));
      Files.createSymbolicLink(directory.resolve(name), target);
    }
    DB.destroy(directory, options());
    assertThat(target).hasContent("somebody's");
  }

  /** The flush fails, unless the maintenance thread has deleted the unused link before. */
  @Test
  void link_underTheNameOfTheNextTable_isNamedAndNotWrittenThrough() throws IOException {
    Path target = Files.writeString(temp.resolve("target"), "somebody's");
    linkTables(target, 6);
    DB.open(directory, options()).close(); // takes later numbers, and deletes the links
    assertThat(target).hasContent("somebody's");
    try (DB db = DB.open(directory, options())) {
      db.put(DbTestBase.b("key"), DbTestBase.b("value"));
      linkTables(target, 60);
      try {
        db.admin().flush();
      } catch (DBException e) {
        assertThat(e).hasStackTraceContaining("symbolic link");
      }
    }
    assertThat(target).hasContent("somebody's");
    repair(directory);
    assertThat(target).hasContent("somebody's");
  }

  private void linkTables(Path target, int first) throws IOException {
    for (int number = first; number < first + 54; number++) {
      Path link = directory.resolve(String.format(Locale.ROOT, "%06d.ldb", number));
      if (!Files.exists(link)) {
        Files.createSymbolicLink(link, target);
      }
    }
  }

  private static Options tolerant() {
    return options().toBuilder().recoveryMode(dev.kv.options.RecoveryMode.CPP_COMPAT).build();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void lock_thatIsALink_isNotFollowed(boolean dangling) throws IOException {
    Path target = temp.resolve("target");
    if (!dangling) {
      Files.writeString(target, "somebody's");
    }
    Files.deleteIfExists(directory.resolve("LOCK"));
    Files.createSymbolicLink(directory.resolve("LOCK"), target);
    for (Runnable action :
        List.<Runnable>of(
            () -> DB.open(directory, options()).close(),
            () -> DB.repair(directory, options()),
            () -> DB.destroy(directory, options()))) {
      assertThatThrownBy(action::run)
          .isInstanceOf(DBException.class)
          .isNotInstanceOf(DBLockedException.class)
          .hasMessageContaining("symbolic link");
    }
    assertThat(Files.exists(target)).isEqualTo(!dangling);
    assertThat(file(".ldb")).exists();
  }

  /** The open of a pipe waits for whoever opens its other end, which nobody does. */
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there are no pipes there")
  @ParameterizedTest
  @ValueSource(strings = {"LOCK", "CURRENT", "MANIFEST", ".log", ".ldb"})
  void pipe_inPlaceOfAFile_isRefusedByOpenAndRepairWithoutAWait(String name) throws Exception {
    Path pipe = file(name);
    Files.delete(pipe);
    Process made = new ProcessBuilder("mkfifo", pipe.toString()).start();
    Assumptions.assumeTrue(made.waitFor() == 0, "no mkfifo here");
    assertThatThrownBy(
            () -> {
              try (DB db = DB.open(directory, options())) {
                db.get(DbTestBase.b(DbTestBase.key(0)));
              }
            })
        .isInstanceOf(DBException.class)
        .hasStackTraceContaining("not a regular file");
    assertThatThrownBy(() -> DB.repair(directory, options()))
        .isInstanceOf(DBException.class)
        .hasStackTraceContaining("not a regular file");
    Files.delete(pipe);
    DB.repair(directory, options());
    DB.open(directory, options()).close();
  }
}

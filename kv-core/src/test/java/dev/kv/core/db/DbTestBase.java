package dev.kv.core.db;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.core.Latches;
import dev.kv.core.background.ManualCompactions.Request;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.iterator.MergingIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.KeyRange;
import dev.kv.core.memory.MemoryKind;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/**
 * The ground of the database tests: one database in a directory of its own, with strings (one char
 * a byte) for keys and values. After every test the levels are checked, everything is closed, and
 * {@link LeakCheck} looks for what was left behind.
 */
@ExtendWith(LeakCheck.class)
@Timeout(value = 120, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
public abstract class DbTestBase {
  /** The deepest level that a flush writes to. */
  protected static final int DEEPEST_FLUSH = 2;

  protected static final String NOT_FOUND = "NOT_FOUND";

  @TempDir protected Path temp;
  protected Path directory;
  protected Options options = defaults();
  protected DB db;
  private final List<DB> opened = new ArrayList<>();

  /** Returns the options that the tests begin with. */
  protected static Options defaults() {
    return Options.builder().createIfMissing(true).build();
  }

  @BeforeEach
  void chooseDirectory() {
    directory = temp.resolve("db");
  }

  @AfterEach
  void closeAll() {
    for (DB each : opened) {
      if (!isClosed(each)) {
        checkLevels(each);
      }
      each.close();
      awaitMemoryGivenBack(parts(each).context());
    }
  }

  /** A read that was under way at the close gives its memory back when it ends. */
  private static void awaitMemoryGivenBack(DatabaseContext context) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (context.budget().used() != 0 && System.nanoTime() < end) {
      LockSupport.parkNanos(1_000_000);
    }
    for (MemoryKind kind : MemoryKind.values()) {
      assertThat(context.budget().used(kind)).as(kind + " not given back").isZero();
    }
  }

  /** Opens the database; the one before, if any, must have been closed. */
  protected final DB open(Options with) {
    options = with;
    db = DB.open(directory, with);
    opened.add(db);
    return db;
  }

  protected final DB open() {
    return open(options);
  }

  /** Opens another database beside the one under test. */
  protected final DB openOther(Path where, Options with) {
    DB other = DB.open(where, with);
    opened.add(other);
    return other;
  }

  protected final void reopen() {
    reopen(options);
  }

  protected final void reopen(Options with) {
    close();
    open(with);
  }

  protected final void close() {
    if (db != null && !isClosed(db)) {
      checkLevels(db);
      db.close();
    }
  }

  protected final void destroyAndReopen(Options with) {
    close();
    DB.destroy(directory, with);
    open(with);
  }

  /** Returns the parts of the database under test. */
  protected final EngineParts parts() {
    return parts(db);
  }

  /** Returns the parts of a database that is open for writing. */
  public static EngineParts parts(DB db) {
    return new EngineParts((DBImpl) db);
  }

  /** Returns true if the database has been closed. */
  public static boolean isClosed(DB db) {
    return ((DBImpl) db).isClosed();
  }

  public static byte[] b(String text) {
    return text.getBytes(ISO_8859_1);
  }

  public static String s(byte @Nullable [] bytes) {
    return bytes == null ? NOT_FOUND : new String(bytes, ISO_8859_1);
  }

  public static String key(int i) {
    return String.format(Locale.ROOT, "key%06d", i);
  }

  protected final void put(String key, String value) {
    db.put(b(key), b(value));
  }

  protected final void delete(String key) {
    db.delete(b(key));
  }

  protected final String get(String key) {
    return s(db.get(b(key)));
  }

  protected final String get(String key, Snapshot snapshot) {
    return s(db.get(ReadOptions.at(snapshot), b(key)));
  }

  protected static WriteBatch batch() {
    return WriteBatch.create();
  }

  /** Returns the files of each level, as {@code "0,1,2"} without trailing zeros. */
  protected final String filesPerLevel() {
    StringBuilder text = new StringBuilder();
    int lastNonZero = 0;
    for (int level = 0; level < 7; level++) {
      int files = filesAt(level);
      text.append(level == 0 ? "" : ",").append(files);
      if (files > 0) {
        lastNonZero = text.length();
      }
    }
    text.setLength(lastNonZero);
    return text.toString();
  }

  protected final int filesAt(int level) {
    String text = db.admin().property("leveldb.num-files-at-level" + level);
    assertThat(text).isNotNull();
    return Integer.parseInt(text);
  }

  protected final int totalFiles() {
    int total = 0;
    for (int level = 0; level < 7; level++) {
      total += filesAt(level);
    }
    return total;
  }

  protected final long size(String start, String limit) {
    return db.admin().approximateSizes(List.of(new dev.kv.bytes.Range(b(start), b(limit))))[0];
  }

  protected final void compact(@Nullable String begin, @Nullable String end) {
    db.admin().compactRange(begin == null ? null : b(begin), end == null ? null : b(end));
  }

  /** Merges the files of one level that overlap a range into the next. */
  protected final void compactLevel(int level, @Nullable String begin, @Nullable String end) {
    Request request =
        Request.merge(
            level, new KeyRange(begin == null ? null : b(begin), end == null ? null : b(end)));
    parts().compactor().runToEnd(request);
  }

  /** Writes the range's ends into each of the first {@code n} levels' tables. */
  protected final void makeTables(int n, String smallest, String largest) {
    for (int i = 0; i < n; i++) {
      put(smallest, "begin");
      put(largest, "end");
      db.admin().flush();
    }
  }

  /**
   * Prevents a flush from pushing tables below level 0 in this range, by a table in each level that
   * one writes to. These are too few for a compaction.
   */
  protected final void fillLevels(String smallest, String largest) {
    makeTables(DEEPEST_FLUSH + 1, smallest, largest);
    assertThat(filesPerLevel()).isEqualTo("1,1,1");
  }

  /** Returns every version of a key, newest first, as {@code "[ v2, DEL, v1 ]"}. */
  protected final String allEntriesFor(String userKey) {
    List<String> versions = new ArrayList<>();
    byte[] target =
        InternalKey.encode(b(userKey), InternalKey.MAX_SEQUENCE, dev.kv.core.key.ValueKind.VALUE);
    ByteBuffer seek =
        ByteBuffer.allocateDirect(target.length).order(java.nio.ByteOrder.LITTLE_ENDIAN);
    seek.put(0, target);
    try (InternalIterator all = allEntries()) {
      for (all.seek(seek, 0, target.length); all.isValid(); all.next()) {
        byte[] internal = new byte[all.keyLength()];
        all.keyBuffer().get(all.keyOffset(), internal);
        if (!new String(internal, 0, internal.length - 8, ISO_8859_1).equals(userKey)) {
          break;
        }
        byte[] value = new byte[all.valueLength()];
        all.valueBuffer().get(all.valueOffset(), value);
        versions.add(internal[internal.length - 8] == 0 ? "DEL" : s(value));
      }
    }
    return versions.isEmpty() ? "[ ]" : "[ " + String.join(", ", versions) + " ]";
  }

  /** Returns a cursor over all entries of the memtable and the tables. */
  protected final InternalIterator allEntries() {
    List<InternalIterator> children = new ArrayList<>();
    children.add(parts().memTables().memtable().iterator());
    for (int level = 0; level < 7; level++) {
      for (FileMetadata file : parts().versions().current().files(level)) {
        children.add(parts().context().tables().iterator(file, true, false));
      }
    }
    return MergingIterator.of(
        parts().context().comparator(), children.toArray(InternalIterator[]::new));
  }

  /** Lets syncs of files wait until the result is counted down; the first one counts down begun. */
  protected static CountDownLatch holdSyncs(FaultEnv env, String suffix, CountDownLatch begun) {
    CountDownLatch gate = new CountDownLatch(1);
    env.watch(
        operation -> {
          if (isSyncOf(suffix, operation)) {
            begun.countDown();
            Latches.await(gate);
          }
        });
    return gate;
  }

  protected static boolean isSyncOf(String suffix, FaultEnv.Operation operation) {
    return operation.kind() == FaultEnv.Kind.SYNC && operation.isOn(suffix);
  }

  /** Waits for background work. */
  public static void await(String what, BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (!condition.getAsBoolean()) {
      assertThat(System.nanoTime()).as("no end of the wait for " + what).isLessThan(end);
      LockSupport.parkNanos(1_000_000);
    }
  }

  /**
   * Makes a call until it finds memory; the timeout of the test bounds that. A write without memory
   * has no effect, and a flush that has waited for a second goes on in the background. A read finds
   * no memory only if the JVM itself has none left, which others may hold for now.
   */
  public static void patiently(Runnable call) {
    while (true) {
      try {
        call.run();
        return;
      } catch (OffHeapExhaustedException e) {
        LockSupport.parkNanos(1_000_000);
      }
    }
  }

  /** Returns the entries in order, as {@code "(a->1)(b->2)"}, after checking them backwards too. */
  protected final String contents() {
    List<String> forward = new ArrayList<>();
    List<String> backward = new ArrayList<>();
    try (DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        forward.add(entry(cursor));
      }
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        backward.add(0, entry(cursor));
      }
    }
    assertThat(backward).isEqualTo(forward);
    return String.join("", forward);
  }

  private static String entry(DBIterator cursor) {
    return "(" + s(cursor.key()) + "->" + s(cursor.value()) + ")";
  }

  /** Returns {@code "key->value"} of the cursor's entry, or {@code "(invalid)"}. */
  protected static String at(DBIterator cursor) {
    return cursor.isValid() ? s(cursor.key()) + "->" + s(cursor.value()) : "(invalid)";
  }

  public static String randomValue(Random random, int length) {
    char[] text = new char[length];
    for (int i = 0; i < length; i++) {
      text[i] = (char) (' ' + random.nextInt(95));
    }
    return new String(text);
  }

  /** Fails if a level below 0 is out of order or has files that overlap. */
  protected static void checkLevels(DB db) {
    Version version = parts(db).versions().current();
    for (int level = 1; level < 7; level++) {
      FileMetadata before = null;
      for (FileMetadata file : version.files(level)) {
        assertThat(parts(db).context().comparator().compare(file.smallest(), file.largest()))
            .as("smallest to largest of " + file)
            .isLessThanOrEqualTo(0);
        if (before != null) {
          assertThat(
                  parts(db)
                      .context()
                      .comparator()
                      .userComparator()
                      .compare(
                          InternalKey.userKey(before.largest()),
                          InternalKey.userKey(file.smallest())))
              .as("level " + level + ": " + before + " before " + file)
              .isLessThan(0);
        }
        before = file;
      }
    }
  }

  /** Makes the memtable immutable, unless it is empty. Does not wait for its flush. */
  protected final void switchMemTable() {
    try (ExclusiveWriter writer = parts().commits().exclusive()) {
      writer.switchMemTable();
    }
  }

  /** Returns the names in the database's directory that are of one kind. */
  protected final List<String> files(FileName.Kind kind) {
    try {
      List<String> names = new ArrayList<>();
      for (String name : options.env().list(directory)) {
        FileName parsed = FileNames.parse(name);
        if (parsed != null && parsed.kind() == kind) {
          names.add(name);
        }
      }
      names.sort(null);
      return names;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

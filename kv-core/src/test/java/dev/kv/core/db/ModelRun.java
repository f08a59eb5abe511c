package dev.kv.core.db;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.admin.LiveFiles;
import dev.kv.core.Directories;
import dev.kv.core.version.Version;
import dev.kv.errors.ConflictException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.table.TableWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * Steps on a database in a directory of its own, in step with a map. What a step does hangs on its
 * seed alone, and on what the steps before it left, so that any of them can be taken out. The
 * levels are looked at after each step that finds another version.
 */
final class ModelRun implements AutoCloseable {
  private static final int KEYS = 1500;
  private static final String TEXT = text();

  /** What a step does; so often in 10,000 steps. */
  enum Kind {
    PUT(4083),
    DELETE(1500),
    BATCH(850),
    CONDITION(150),
    TRANSACTION(150),
    GET(2482),
    GET_ALL(100),
    DELETE_RANGE(15),
    WALK(500),
    SNAPSHOT(60),
    READ_SNAPSHOT(60),
    FLUSH(12),
    COMPACT(6),
    COMPACT_DELETES(4),
    LOAD(6),
    INGEST(4),
    COMPARE(6),
    CHECKPOINT(3),
    LIVE_FILES(3),
    REOPEN(6);

    private static final int ALL = 10_000;

    private final int weight;

    Kind(int weight) {
      this.weight = weight;
    }

    private static Kind of(int choice) {
      int left = choice;
      for (Kind kind : values()) {
        left -= kind.weight;
        if (left < 0) {
          return kind;
        }
      }
      throw new AssertionError("the weights are less than " + ALL);
    }
  }

  /** A step, which {@link #parse} reads as {@link #toString} writes it. */
  record Step(Kind kind, int seed) {
    static Step parse(String text) {
      int colon = text.indexOf(':');
      return new Step(
          Kind.valueOf(text.substring(0, colon)),
          Integer.parseUnsignedInt(text.substring(colon + 1), 16));
    }

    @Override
    public String toString() {
      return kind + ":" + Integer.toHexString(seed);
    }
  }

  /** The first directory. Those beside it have names that begin with its name. */
  private final Path first;

  private Path directory;
  private int others;
  private final Options options;
  private final List<Map.Entry<Snapshot, NavigableMap<String, String>>> snapshots =
      new ArrayList<>();
  private final NavigableMap<String, String> model;
  private DB db;
  private @Nullable Version checked;

  /** Opens the database; {@code reversed} says that it is ordered so. */
  ModelRun(Path directory, Options options, boolean reversed) {
    first = directory;
    this.directory = directory;
    this.options = options;
    model = reversed ? new TreeMap<String, String>().descendingMap() : new TreeMap<>();
    db = DB.open(directory, options);
  }

  /** Returns the steps that hang on a seed. */
  static List<Step> steps(long seed, int count) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Step> steps = new ArrayList<>(count);
    for (int i = 0; i < count; i++) {
      steps.add(new Step(Kind.of(random.nextInt(Kind.ALL)), random.nextInt()));
    }
    return steps;
  }

  /** Does the steps, and compares everything at the end. */
  void run(List<Step> steps) {
    for (int i = 0; i < steps.size(); i++) {
      try {
        step(steps.get(i).kind(), new SplittableRandom(steps.get(i).seed()));
        checkLevels();
      } catch (RuntimeException | AssertionError e) {
        throw new AssertionError("step " + i + ", " + steps.get(i), e);
      }
    }
    compareAll(null, model);
  }

  private void step(Kind kind, SplittableRandom random) {
    switch (kind) {
      case PUT -> {
        String key = randomKey(random);
        String value = randomValue(random, random.nextInt(40) == 0 ? 20_000 : random.nextInt(150));
        db.put(WriteOptions.builder().sync(random.nextInt(1000) == 0).build(), b(key), b(value));
        model.put(key, value);
      }
      case DELETE -> {
        String key = randomKey(random);
        db.delete(b(key));
        model.remove(key);
      }
      case BATCH -> writeBatch(random);
      case CONDITION -> writeIf(random);
      case TRANSACTION -> transact(random);
      case GET_ALL -> getAll(random);
      case GET -> {
        String key = randomKey(random);
        expect(key, model.get(key), s(db.get(b(key))));
      }
      case WALK -> walk(random);
      case SNAPSHOT -> takeOrDropSnapshot(random);
      case READ_SNAPSHOT -> readSnapshot(random);
      case DELETE_RANGE -> deleteRange(random);
      case FLUSH -> db.admin().flush();
      case COMPACT -> {
        byte[] bound = b(randomKey(random));
        boolean begins = random.nextBoolean();
        db.admin().compactRange(begins ? bound : null, begins ? null : bound);
      }
      case COMPACT_DELETES -> {
        db.admin().compactDeletes(Duration.ZERO);
        compareAll(null, model);
      }
      case LOAD -> load(random);
      case INGEST -> ingest(random);
      case COMPARE -> compareAll(null, model);
      case REOPEN -> {
        closeSnapshots();
        db.close();
        db = DB.open(directory, options);
      }
      case CHECKPOINT -> continueInACheckpoint();
      case LIVE_FILES -> copyLiveFiles(random);
      default -> throw new AssertionError(kind);
    }
  }

  /** Goes on in a checkpoint, in the place of the database. */
  private void continueInACheckpoint() {
    Path target = another("checkpoint");
    long sequence = db.admin().checkpoint(target);
    long last = db.admin().stats().writes().lastSequence();
    if (sequence != last) {
      throw new AssertionError("the checkpoint is of " + sequence + ", not of " + last);
    }
    close();
    directory = target;
    db = DB.open(directory, options);
    compareAll(null, model);
  }

  /** Returns a directory that no other run uses. */
  private Path another(String what) {
    return first.resolveSibling(first.getFileName() + "-" + what + ++others);
  }

  /** Changes the database while its files are kept, and compares a copy of them with the model. */
  private void copyLiveFiles(SplittableRandom random) {
    Path target = another("copy");
    NavigableMap<String, String> then = new TreeMap<>(model.comparator());
    try (LiveFiles files = db.admin().suspendDeletions()) {
      then.putAll(model);
      for (int i = 0; i < 20; i++) {
        writeBatch(random);
      }
      if (random.nextBoolean()) {
        db.admin().compactRange(null, null);
      }
      Directories.copy(files, options.env(), target);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    try (DB copied = DB.open(target, options)) {
      compareAll(copied, ReadOptions.DEFAULT, then);
    }
    DB.destroy(target, options);
  }

  /** Loads random entries, sorted or not; sometimes it writes some of them meanwhile. */
  private void load(SplittableRandom random) {
    boolean sorted = random.nextBoolean();
    NavigableMap<String, String> entries = randomEntries(random);
    List<String> order = new ArrayList<>(entries.keySet());
    if (!sorted) {
      Collections.shuffle(order, new java.util.Random(random.nextLong()));
    }
    boolean meanwhile = random.nextInt(3) == 0;
    try (BulkLoader loader =
        db.loads()
            .bulkLoader(BulkLoadOptions.builder().sorted(sorted).sortMemory(1 << 20).build())) {
      for (String key : order) {
        if (!sorted && random.nextInt(4) == 0) {
          loader.put(b(key), b("overwritten"));
        }
        loader.put(b(key), b(entries.get(key)));
        if (meanwhile && random.nextInt(20) == 0) {
          String other = randomKey(random);
          String value = randomValue(random, 50);
          db.put(b(other), b(value));
          model.put(other, value);
        }
      }
      loader.finish();
    }
    model.putAll(entries);
  }

  private void ingest(SplittableRandom random) {
    NavigableMap<String, String> entries = randomEntries(random);
    Path file = directory.resolve("ingest");
    try (TableWriter writer = TableWriter.forIngest(file, options)) {
      entries.forEach((key, value) -> writer.put(b(key), b(value)));
      writer.finish();
    }
    db.loads().ingest(List.of(file));
    try {
      options.env().delete(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    model.putAll(entries);
  }

  /** Returns entries of random keys, or of keys that were never there before. */
  private NavigableMap<String, String> randomEntries(SplittableRandom random) {
    NavigableMap<String, String> entries = new TreeMap<>(model.comparator());
    boolean fresh = random.nextInt(4) == 0;
    String prefix = fresh ? "load" + random.nextInt(1 << 20) + "/" : "";
    for (int i = random.nextInt(fresh ? 30 : 300); i >= 0; i--) {
      entries.put(prefix + randomKey(random), randomValue(random, random.nextInt(300)));
    }
    return entries;
  }

  private void checkLevels() {
    Version version = DbTestBase.parts(db).versions().current();
    if (version != checked) {
      DbTestBase.checkLevels(db);
      checked = version;
    }
  }

  private static String randomKey(SplittableRandom random) {
    int kind = random.nextInt(10);
    if (kind == 0) {
      return "";
    }
    return kind < 3
        ? "x".repeat(random.nextInt(40)) + (char) random.nextInt(256)
        : "key" + (100_000 + random.nextInt(KEYS));
  }

  private static String randomValue(SplittableRandom random, int length) {
    int from = random.nextInt(TEXT.length() - length);
    return TEXT.substring(from, from + length);
  }

  private static String text() {
    SplittableRandom random = new SplittableRandom(1);
    byte[] text = new byte[60_000];
    random.nextBytes(text);
    return new String(text, StandardCharsets.ISO_8859_1);
  }

  private void writeBatch(SplittableRandom random) {
    WriteBatch batch = WriteBatch.create();
    for (int i = random.nextInt(8); i >= 0; i--) {
      String key = randomKey(random);
      if (random.nextInt(3) == 0) {
        batch.delete(b(key));
        model.remove(key);
      } else {
        String value = randomValue(random, random.nextInt(100));
        batch.put(b(key), b(value));
        model.put(key, value);
      }
    }
    db.write(batch);
  }

  /** Mostly a short range, so that other steps find entries. */
  private void deleteRange(SplittableRandom random) {
    String from = randomKey(random);
    String to = randomKey(random);
    int kind = random.nextInt(20);
    if (kind == 0) {
      String prefix = from.substring(0, Math.min(from.length(), 8));
      if (model.comparator() == null && !prefix.isEmpty()) {
        db.deletePrefix(b(prefix));
        model.keySet().removeIf(key -> key.startsWith(prefix));
        return;
      }
    }
    if (kind > 2) {
      NavigableMap<String, String> rest = model.tailMap(from, true);
      int length = random.nextInt(30);
      to = from;
      for (String key : rest.keySet()) {
        to = key;
        if (length-- == 0) {
          break;
        }
      }
    }
    int order = from.compareTo(to);
    if (model.comparator() == null ? order > 0 : order < 0) {
      String swapped = from;
      from = to;
      to = swapped;
    }
    db.deleteRange(b(from), b(to));
    model.subMap(from, true, to, false).clear();
  }

  /** A batch with expectations, of which one may not hold. */
  private void writeIf(SplittableRandom random) {
    WriteBatch batch = WriteBatch.create();
    String conflicting = null;
    for (int i = random.nextInt(3); i >= 0; i--) {
      String key = randomKey(random);
      String expected = model.get(key);
      if (random.nextInt(6) == 0) {
        expected = expected == null || random.nextBoolean() ? expected + "x" : null;
        conflicting = conflicting == null ? key : conflicting;
      }
      batch.expect(b(key), expected == null ? null : b(expected));
    }
    String key = randomKey(random);
    String value = randomValue(random, random.nextInt(100));
    batch.put(b(key), b(value));
    try {
      db.write(batch);
      expect("no conflict", null, conflicting == null ? DbTestBase.NOT_FOUND : conflicting);
      model.put(key, value);
    } catch (ConflictException e) {
      expect("the conflict", conflicting, s(e.key()));
    }
  }

  /**
   * A transaction, beside which another write may come, at level snapshot or serializable, and
   * which is committed or not.
   */
  private void transact(SplittableRandom random) {
    boolean serializable = random.nextBoolean();
    TransactionOptions with =
        serializable ? TransactionOptions.SERIALIZABLE : TransactionOptions.DEFAULT;
    NavigableMap<String, String> view = new TreeMap<>(model.comparator());
    view.putAll(model);
    Set<String> depends = new HashSet<>();
    try (Transaction transaction = db.transaction(with)) {
      String other = random.nextInt(3) == 0 ? writeBeside(random) : null;
      boolean writes = false;
      for (int i = random.nextInt(6); i >= 0; i--) {
        String key = other != null && random.nextInt(8) == 0 ? other : randomKey(random);
        int choice = random.nextInt(5);
        if (choice < 2) {
          boolean update = random.nextBoolean();
          byte[] found = update ? transaction.getForUpdate(b(key)) : transaction.get(b(key));
          expect("in a transaction, " + key, view.get(key), s(found));
          if (serializable || update) {
            depends.add(key);
          }
          writes |= update;
        } else if (choice == 2) {
          transaction.delete(b(key));
          view.remove(key);
          depends.add(key);
          writes = true;
        } else {
          String value = randomValue(random, random.nextInt(100));
          transaction.put(b(key), b(value));
          view.put(key, value);
          depends.add(key);
          writes = true;
        }
      }
      if (random.nextInt(4) > 0) {
        commit(transaction, view, writes && other != null && depends.contains(other), other);
      }
    }
  }

  /** Writes one key outside of the transaction, and sometimes flushes; returns the key. */
  private String writeBeside(SplittableRandom random) {
    String key = randomKey(random);
    String value = randomValue(random, random.nextInt(100));
    db.put(b(key), b(value));
    model.put(key, value);
    if (random.nextInt(20) == 0) {
      db.admin().flush();
    }
    return key;
  }

  private void commit(
      Transaction transaction,
      NavigableMap<String, String> view,
      boolean conflicts,
      @Nullable String other) {
    try {
      transaction.commit();
      expect("no conflict", null, conflicts ? other : DbTestBase.NOT_FOUND);
    } catch (ConflictException e) {
      expect("the conflict", conflicts ? other : null, s(e.key()));
      return;
    }
    String kept = other == null || !model.containsKey(other) ? null : model.get(other);
    boolean written = other != null && !conflicts;
    model.clear();
    model.putAll(view);
    if (written && kept != null) {
      model.put(other, kept);
    }
  }

  private void getAll(SplittableRandom random) {
    List<String> keys = new ArrayList<>();
    for (int i = random.nextInt(20); i >= 0; i--) {
      keys.add(randomKey(random));
    }
    List<byte[]> found = db.getAll(keys.stream().map(ModelRun::b).toList());
    for (int i = 0; i < keys.size(); i++) {
      expect("of several, " + keys.get(i), model.get(keys.get(i)), s(found.get(i)));
    }
  }

  private void takeOrDropSnapshot(SplittableRandom random) {
    if (snapshots.size() < 4 || random.nextBoolean()) {
      NavigableMap<String, String> copy = new TreeMap<>(model.comparator());
      copy.putAll(model);
      snapshots.add(Map.entry(db.snapshot(), copy));
    } else {
      snapshots.remove(random.nextInt(snapshots.size())).getKey().close();
    }
  }

  private void readSnapshot(SplittableRandom random) {
    if (snapshots.isEmpty()) {
      return;
    }
    Map.Entry<Snapshot, NavigableMap<String, String>> one =
        snapshots.get(random.nextInt(snapshots.size()));
    for (int i = 0; i < 10; i++) {
      String key = randomKey(random);
      byte[] found = db.get(ReadOptions.at(one.getKey()), b(key));
      expect("in a snapshot, " + key, one.getValue().get(key), s(found));
    }
    if (random.nextInt(10) == 0) {
      compareAll(one.getKey(), one.getValue());
    }
  }

  private void compareAll(@Nullable Snapshot snapshot, NavigableMap<String, String> expected) {
    compareAll(db, ReadOptions.builder().snapshot(snapshot).build(), expected);
  }

  private static void compareAll(DB from, ReadOptions read, NavigableMap<String, String> expected) {
    try (DBIterator cursor = from.iterator(read)) {
      cursor.seekToFirst();
      for (Map.Entry<String, String> entry : expected.entrySet()) {
        expectAt(cursor, entry);
        cursor.next();
      }
      expectAt(cursor, null);
      cursor.seekToLast();
      for (Map.Entry<String, String> entry : expected.descendingMap().entrySet()) {
        expectAt(cursor, entry);
        cursor.prev();
      }
      expectAt(cursor, null);
    }
  }

  /** Moves a cursor to and fro at random, from a random place, sometimes within bounds. */
  private void walk(SplittableRandom random) {
    NavigableMap<String, String> view = model;
    ReadOptions.Builder read = ReadOptions.builder().fillCache(random.nextBoolean());
    if (random.nextInt(3) == 0) {
      String lower = randomKey(random);
      String upper = randomKey(random);
      int order = lower.compareTo(upper);
      if (model.comparator() == null ? order <= 0 : order >= 0) {
        read.lowerBound(b(lower)).upperBound(b(upper));
        view = model.subMap(lower, true, upper, false);
      }
    }
    try (DBIterator cursor = db.iterator(read.build())) {
      String target = randomKey(random);
      Map.Entry<String, String> expected;
      if (random.nextBoolean()) {
        cursor.seek(b(target));
        expected = view.ceilingEntry(target);
      } else {
        cursor.seekForPrev(b(target));
        expected = view.floorEntry(target);
      }
      for (int i = 0; i < 12; i++) {
        expectAt(cursor, expected);
        if (expected == null) {
          return;
        }
        if (random.nextInt(3) > 0) {
          cursor.next();
          expected = view.higherEntry(expected.getKey());
        } else {
          cursor.prev();
          expected = view.lowerEntry(expected.getKey());
        }
      }
    }
  }

  private static void expectAt(DBIterator cursor, Map.@Nullable Entry<String, String> expected) {
    if (expected == null) {
      expect("the cursor", "(invalid)", DbTestBase.at(cursor));
    } else {
      expect("the cursor", expected.getKey(), cursor.isValid() ? s(cursor.key()) : "(invalid)");
      expect("the cursor at " + expected.getKey(), expected.getValue(), s(cursor.value()));
    }
  }

  private static void expect(String what, @Nullable String expected, @Nullable String found) {
    String wanted = expected == null ? DbTestBase.NOT_FOUND : expected;
    if (!wanted.equals(found)) {
      throw new AssertionError(what + ": expected '" + wanted + "', found '" + found + "'");
    }
  }

  private static byte[] b(String text) {
    return DbTestBase.b(text);
  }

  private static String s(byte @Nullable [] bytes) {
    return DbTestBase.s(bytes);
  }

  private void closeSnapshots() {
    snapshots.forEach(each -> each.getKey().close());
    snapshots.clear();
  }

  /** Closes and deletes the database. */
  @Override
  public void close() {
    closeSnapshots();
    db.close();
    DB.destroy(directory, options);
  }
}

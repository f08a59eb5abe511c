package dev.kv.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.Entries;
import dev.kv.KeyValueStore;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Entry;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Range;
import dev.kv.bytes.Slice;
import dev.kv.change.ChangeOptions;
import dev.kv.change.OperationHandler;
import dev.kv.core.db.LeakCheck;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class SpaceTest {
  private static final Options OPTIONS = Options.builder().createIfMissing(true).build();

  @TempDir Path temp;
  private DB db;

  @BeforeEach
  void open() {
    db = DB.open(temp.resolve("db"), OPTIONS);
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static byte[] b(String text) {
    return text.getBytes(java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private static String s(byte @Nullable [] bytes) {
    return bytes == null ? "null" : new String(bytes, java.nio.charset.StandardCharsets.ISO_8859_1);
  }

  private static List<String> contents(DBReader db) {
    return contents(db, ReadOptions.DEFAULT);
  }

  private static List<String> contents(DBReader db, ReadOptions options) {
    List<String> contents = new ArrayList<>();
    try (Entries entries = db.entries(options)) {
      for (Entry entry : entries) {
        contents.add(s(entry.key()) + "=" + s(entry.value()));
      }
    }
    return contents;
  }

  @Test
  void writes_ofASpace_haveThePrefixInTheDatabase() {
    Space users = Space.of(db, "user/");
    users.put(b("1"), b("Ada"));
    users.put(WriteOptions.DEFAULT, ByteBuffer.wrap(b("2")), ByteBuffer.wrap(b("Alan")));
    users.put(b("3"), b("x"));
    users.put(b("4"), b("x"));
    users.delete(b("3"));
    users.delete(WriteOptions.SYNC, ByteBuffer.wrap(b("4")));
    users.put(new byte[0], b("empty"));
    db.put(b("user"), b("before"));
    db.put(b("user0"), b("after"));
    assertThat(contents(users)).containsExactly("=empty", "1=Ada", "2=Alan");
    assertThat(contents(db))
        .containsExactly("user=before", "user/=empty", "user/1=Ada", "user/2=Alan", "user0=after");
  }

  @Test
  void reads_ofASpace_findItsKeysOnly() {
    Space users = Space.of(db, "user/");
    db.put(b("1"), b("outside"));
    db.put(b("user/2"), b("inside"));
    assertThat(users.get(b("1"))).isNull();
    assertThat(users.get(b("2"))).isEqualTo(b("inside"));
    assertThat(users.<String>read(b("2"), Slice::toUtf8String)).isEqualTo("inside");
    assertThat(users.find(b("1"), Slice::toUtf8String)).isEmpty();
    assertThat(users.containsKey(b("1"))).isFalse();
    assertThat(users.containsKey(b("2"))).isTrue();
    try (PinnedValue pinned = Objects.requireNonNull(users.pinned(b("2")))) {
      assertThat(pinned.slice().toUtf8String()).isEqualTo("inside");
    }
    assertThat(users.pinned(b("1"))).isNull();
    ByteBuffer into = ByteBuffer.allocate(3);
    ByteBuffer key = ByteBuffer.wrap(b("2"));
    assertThat(users.get(ReadOptions.DEFAULT, key, into)).isEqualTo(6);
    assertThat(into.array()).isEqualTo(b("ins"));
    assertThat(key.position()).isZero();
    assertThatThrownBy(() -> users.get(ReadOptions.withPrefix(b("2")), b("2")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  /** Prefixes with which bounds are easily wrong, between keys of their neighbors. */
  @ParameterizedTest
  @ValueSource(strings = {"", "a", "a\u00ff", "\u00ff", "\u00ff\u00ff", "\0", "\0\0", "a\0"})
  void scans_ofASpace_showWhatAModelShows(String prefix) {
    long seed = 17;
    Random random = new Random(seed);
    String[] parts = {"", "\0", "a", "b", "\u00fe", "\u00ff", "\u00ff\u00ff"};
    NavigableMap<byte[], byte[]> model = new TreeMap<>(Arrays::compareUnsigned);
    Space space = Space.of(db, b(prefix));
    for (int i = 0; i < 400; i++) {
      String key = parts[random.nextInt(7)] + parts[random.nextInt(7)] + parts[random.nextInt(7)];
      byte[] value = b("" + i);
      db.put(b(key), value);
      if (key.startsWith(prefix)) {
        model.put(b(key.substring(prefix.length())), value);
      }
      if (i == 200) {
        db.admin().flush();
      }
    }
    for (int i = 0; i < 300; i++) {
      ReadOptions options = randomOptions(random, parts);
      List<String> wanted = new ArrayList<>();
      for (Map.Entry<byte[], byte[]> entry : model.entrySet()) {
        if (isInside(entry.getKey(), options)) {
          wanted.add(s(entry.getKey()) + "=" + s(entry.getValue()));
        }
      }
      checkCursor(space, options, wanted, parts[random.nextInt(7)]);
      if (options.descending()) {
        Collections.reverse(wanted);
      }
      assertThat(contents(space, options)).as("%s, seed %s", options, seed).isEqualTo(wanted);
    }
  }

  private static void checkCursor(
      Space space, ReadOptions options, List<String> wanted, String target) {
    ReadOptions ascending = options.toBuilder().descending(false).build();
    try (DBIterator cursor = space.iterator(ascending)) {
      cursor.seekToLast();
      assertThat(at(cursor)).isEqualTo(wanted.isEmpty() ? "none" : wanted.get(wanted.size() - 1));
      cursor.seekToFirst();
      assertThat(at(cursor)).isEqualTo(wanted.isEmpty() ? "none" : wanted.get(0));
      cursor.seek(b(target));
      assertThat(at(cursor))
          .isEqualTo(
              wanted.stream()
                  .filter(entry -> key(entry).compareTo(target) >= 0)
                  .findFirst()
                  .orElse("none"));
      cursor.seekForPrev(ByteBuffer.wrap(b(target)));
      assertThat(at(cursor))
          .isEqualTo(
              wanted.stream()
                  .filter(entry -> key(entry).compareTo(target) <= 0)
                  .reduce((first, second) -> second)
                  .orElse("none"));
    }
  }

  private static String key(String entry) {
    return entry.substring(0, entry.lastIndexOf('='));
  }

  private static String at(DBIterator cursor) {
    return cursor.isValid() ? s(cursor.key()) + "=" + s(cursor.value()) : "none";
  }

  private static ReadOptions randomOptions(Random random, String[] parts) {
    ReadOptions.Builder options = ReadOptions.builder().descending(random.nextBoolean());
    if (random.nextInt(3) == 0) {
      options.lowerBound(b(parts[random.nextInt(7)] + parts[random.nextInt(7)]));
    }
    if (random.nextInt(3) == 0) {
      options.upperBound(b(parts[random.nextInt(7)] + parts[random.nextInt(7)]));
    }
    if (random.nextInt(3) == 0) {
      options.prefix(b(parts[random.nextInt(7)]));
    }
    return options.build();
  }

  private static boolean isInside(byte[] key, ReadOptions options) {
    byte[] lower = options.lowerBound();
    byte[] upper = options.upperBound();
    byte[] prefix = options.prefix();
    return (lower == null || Arrays.compareUnsigned(key, lower) >= 0)
        && (upper == null || Arrays.compareUnsigned(key, upper) < 0)
        && (prefix == null || Slice.of(key).startsWith(Slice.of(prefix)));
  }

  @Test
  void space_ofTheEmptyPrefix_isTheDatabase() {
    Space all = Space.of(db, "");
    all.put(b("a"), b("1"));
    db.put(new byte[0], b("0"));
    assertThat(contents(all)).containsExactly("=0", "a=1").isEqualTo(contents(db));
    db.admin().compactRange(all.prefix(), all.end());
    assertThat(contents(all)).containsExactly("=0", "a=1");
  }

  @Test
  void space_ofASpace_hasBothPrefixes() {
    Space outer = Space.of(db, "a/");
    Space inner = Space.of(outer, "b/");
    inner.put(b("c"), b("1"));
    outer.put(b("b"), b("2"));
    assertThat(db.get(b("a/b/c"))).isEqualTo(b("1"));
    assertThat(contents(outer)).containsExactly("b=2", "b/c=1");
    assertThat(contents(inner)).containsExactly("c=1");
    assertThat(inner.store()).isSameAs(db);
    assertThat(inner.prefix()).isEqualTo(b("a/b/"));
    WriteBatch batch = WriteBatch.create();
    inner.within(batch).put(b("d"), b("3"));
    db.write(batch);
    assertThat(contents(inner)).containsExactly("c=1", "d=3");
  }

  @Test
  void prefix_ofASpace_isCopied() {
    byte[] prefix = b("a");
    Space space = Space.of(db, prefix);
    prefix[0] = 'b';
    space.prefix()[0] = 'c';
    space.put(b("1"), b("x"));
    assertThat(contents(db)).containsExactly("a1=x");
  }

  @Test
  void batch_overSeveralSpaces_isOneWrite() {
    Space users = Space.of(db, "user/");
    Space orders = Space.of(db, "order/");
    orders.put(b("old"), b("x"));
    long before = db.admin().stats().writes().lastSequence();
    WriteBatch batch = WriteBatch.create();
    users.within(batch).put(b("1"), b("Ada"));
    orders
        .within(batch)
        .put(ByteBuffer.wrap(b("7")), ByteBuffer.wrap(b("book")))
        .delete(b("old"))
        .delete(ByteBuffer.wrap(b("none")));
    batch.put(b("root"), b("y"));
    assertThat(contents(users)).isEmpty();
    try (Snapshot snapshot = db.snapshot()) {
      db.write(batch);
      assertThat(contents(users, ReadOptions.at(snapshot))).isEmpty();
    }
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before + 5);
    assertThat(contents(db)).containsExactly("order/7=book", "root=y", "user/1=Ada");
  }

  @Test
  void batch_writtenToASpace_getsItsPrefix() {
    Space users = Space.of(db, "user/");
    users.put(b("2"), b("x"));
    WriteBatch batch = WriteBatch.create().put(b("1"), b("Ada")).delete(b("2"));
    users.write(batch);
    assertThat(contents(db)).containsExactly("user/1=Ada");
    assertThat(batch.count()).isEqualTo(2);
    users.write(WriteOptions.SYNC, batch.clear());
    assertThat(contents(db)).containsExactly("user/1=Ada");
  }

  @Test
  void viewOfABatch_iteratesAndCountsTheSpaceOnly() {
    Space users = Space.of(db, "user/");
    WriteBatch batch = WriteBatch.create().put(b("other"), b("x")).delete(b("user"));
    BatchOperations view = users.within(batch);
    view.put(b("1"), b("Ada")).delete(b("2"));
    List<String> operations = new ArrayList<>();
    OperationHandler handler =
        new OperationHandler() {
          @Override
          public void put(Slice key, Slice value) {
            operations.add("put " + key.toUtf8String() + " " + value.toUtf8String());
          }

          @Override
          public void delete(Slice key) {
            operations.add("delete " + key.toUtf8String());
          }

          @Override
          public void expect(Slice key, @Nullable Slice value) {
            operations.add("expect " + key.toUtf8String() + " " + value);
          }
        };
    batch.expectAbsent(b("other"));
    batch.expectAbsent(users.whole(b("1")));
    view.iterate(handler);
    assertThat(operations).containsExactly("expect 1 null", "put 1 Ada", "delete 2");
    assertThat(view.count()).isEqualTo(2);
    assertThat(view.expectationCount()).isEqualTo(1);
    assertThat(batch.count()).isEqualTo(4);
    assertThat(batch.expectationCount()).isEqualTo(2);
    assertThat(view.approximateSize()).isEqualTo(batch.approximateSize());
    WriteBatch ofView = WriteBatch.create().append(view);
    assertThat(ofView.expectationCount()).isEqualTo(1);
    assertThatThrownBy(() -> db.write(ofView)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void viewOfABatch_appendsOtherBatchesAndItself() {
    Space users = Space.of(db, "user/");
    WriteBatch batch = WriteBatch.create().put(b("a"), b("1"));
    BatchOperations view = users.within(batch);
    view.append(WriteBatch.create().put(b("b"), b("2")).delete(b("c")));
    view.append(view);
    view.append(Space.of(db, "user/").within(WriteBatch.create()).put(b("d"), b("3")));
    db.write(batch);
    assertThat(contents(db)).containsExactly("a=1", "user/b=2", "user/d=3");
    assertThat(view.count()).isEqualTo(5);
  }

  @Test
  void viewOfABatch_rolledBack_isWhatItWas() {
    Space users = Space.of(db, "user/");
    WriteBatch batch = WriteBatch.create();
    BatchOperations view = users.within(batch);
    view.put(b("1"), b("a")).setSavePoint().put(b("2"), b("b")).setSavePoint();
    view.put(b("3"), b("c")).popSavePoint().rollbackToSavePoint();
    db.write(batch);
    assertThat(contents(db)).containsExactly("user/1=a");
  }

  @Test
  void conditionalWrites_ofASpace_compareItsKeys() {
    Space users = Space.of(db, "user/");
    db.put(b("1"), b("outside"));
    assertThat(users.putIfAbsent(b("1"), b("a"))).isTrue();
    assertThat(users.putIfAbsent(b("1"), b("b"))).isFalse();
    assertThat(users.compareAndSet(b("1"), b("a"), b("b"))).isTrue();
    assertThat(users.compareAndSet(b("1"), b("a"), b("c"))).isFalse();
    assertThat(users.update(b("1"), value -> b(s(value) + "!"))).isEqualTo(b("b!"));
    assertThat(contents(db)).containsExactly("1=outside", "user/1=b!");
    assertThat(users.compareAndSet(WriteOptions.SYNC, b("1"), b("b!"), null)).isTrue();
    assertThat(contents(db)).containsExactly("1=outside");
  }

  @Test
  void expectations_overSeveralSpaces_areOneCondition() {
    Space users = Space.of(db, "user/");
    Space orders = Space.of(db, "order/");
    users.put(b("1"), b("Ada"));
    WriteBatch batch = WriteBatch.create();
    batch.expect(users.whole(b("1")), b("Ada"));
    orders.within(batch).append(WriteBatch.create().expectAbsent(b("7")).put(b("7"), b("book")));
    db.write(batch);
    assertThat(contents(orders)).containsExactly("7=book");
    batch.clear().expect(orders.whole(b("7")), b("book")).expectAbsent(users.whole(b("1")));
    orders.within(batch).delete(b("7"));
    assertThat(db.tryWrite(WriteOptions.DEFAULT, batch)).isFalse();
    assertThat(contents(orders)).containsExactly("7=book");
  }

  @Test
  void conflict_ofABatchOfTheSpace_namesItsKey() {
    Space users = Space.of(db, "user/");
    users.put(b("1"), b("Ada"));
    WriteBatch batch = WriteBatch.create().put(b("2"), b("x")).expectAbsent(b("1"));
    assertThatThrownBy(() -> users.write(batch))
        .isInstanceOfSatisfying(
            ConflictException.class, conflict -> assertThat(conflict.key()).isEqualTo(b("1")))
        .hasMessageContaining("user/1");
    assertThat(users.tryWrite(WriteOptions.DEFAULT, batch)).isFalse();
    assertThat(contents(users)).containsExactly("1=Ada");
  }

  @Test
  void transaction_ofASpace_readsAndWritesIt() {
    Space users = Space.of(db, "user/");
    users.put(b("1"), b("Ada"));
    db.put(b("user"), b("outside"));
    db.put(b("user0"), b("outside"));
    String result =
        users.transact(
            TransactionOptions.SERIALIZABLE,
            transaction -> {
              transaction.put(b("3"), b("Eve")).delete(b("1")).put(b("2"), b("Bob"));
              assertThat(transaction.get(b("1"))).isNull();
              assertThat(s(transaction.getForUpdate(b("3")))).isEqualTo("Eve");
              assertThat(transaction.<Integer>read(b("2"), Slice::length)).isEqualTo(3);
              assertThat(s(users.get(ReadOptions.at(transaction.snapshot()), b("1"))))
                  .isEqualTo("Ada");
              StringBuilder keys = new StringBuilder();
              ReadOptions down = ReadOptions.builder().descending(true).build();
              transaction.forEach(down, (key, value) -> keys.append(key.toUtf8String()));
              return keys.toString();
            });
    assertThat(result).isEqualTo("32");
    assertThat(contents(users)).containsExactly("2=Bob", "3=Eve");
    assertThat(s(db.get(b("user/2")))).isEqualTo("Bob");
  }

  @Test
  void transaction_ofTheDatabase_hasViewsOfSeveralSpaces() {
    Space users = Space.of(db, "user/");
    Space orders = Space.of(db, "order/");
    try (Transaction transaction = db.transaction()) {
      users.within(transaction).put(b("1"), b("Ada"));
      orders.within(transaction).put(b("7"), b("1"));
      transaction.commit();
    }
    assertThat(contents(db)).containsExactly("order/7=1", "user/1=Ada");
    try (Transaction transaction = users.transaction()) {
      transaction.put(b("1"), b("Bob"));
      users.put(b("1"), b("Eve"));
      assertThatThrownBy(transaction::commit)
          .isInstanceOfSatisfying(
              ConflictException.class, conflict -> assertThat(conflict.key()).isEqualTo(b("1")));
    }
    try (Transaction transaction = users.transaction()) {
      transaction.put(b("1"), b("Bob"));
    }
    assertThat(s(users.get(b("1")))).isEqualTo("Eve");
  }

  @Test
  void snapshot_ofASpace_isOneOfAllSpaces() {
    Space users = Space.of(db, "user/");
    Space orders = Space.of(db, "order/");
    orders.put(b("1"), b("old"));
    try (Snapshot snapshot = users.snapshot()) {
      orders.put(b("1"), b("new"));
      ReadOptions before = ReadOptions.at(snapshot);
      assertThat(orders.get(before, b("1"))).isEqualTo(b("old"));
      assertThat(snapshot.get(b("1"))).as("of the users").isNull();
      assertThatThrownBy(() -> db.get(before, b("order/1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("or a view");
      assertThat(contents(orders, before)).containsExactly("1=old");
    }
  }

  @Test
  void keySlice_afterAMove_isNoLongerValid() {
    Space users = Space.of(db, "user/");
    users.put(b("key1"), b("a"));
    users.put(b("key2"), b("b"));
    try (DBIterator cursor = users.iterator()) {
      assertThatThrownBy(cursor::isValid).isInstanceOf(IllegalStateException.class);
      assertThat(cursor.isPlaced()).isFalse();
      cursor.seekToFirst();
      Slice key = cursor.keySlice();
      assertThat(key).isEqualTo(Slice.of("key1")).isSameAs(cursor.keySlice());
      assertThat(key.toString()).contains("key1").doesNotContain("user");
      cursor.next();
      assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
      assertThat(key.toString()).contains("after its window");
      assertThat(cursor.keySlice()).isEqualTo(Slice.of("key2"));
      cursor.prev();
      assertThat(cursor.keySlice()).isEqualTo(Slice.of("key1"));
    }
  }

  @Test
  void keySlice_anyMethod_staysInTheKey() {
    Space users = Space.of(db, "prefix-");
    byte[] key = b("0123456789");
    users.put(key, b("a"));
    users.forEach(
        ReadOptions.DEFAULT,
        (slice, value) -> {
          Slice plain = Slice.of(key);
          assertThat(slice.length()).isEqualTo(10);
          assertThat(slice.byteAt(9)).isEqualTo(plain.byteAt(9));
          for (ByteOrder order : List.of(ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN)) {
            assertThat(slice.getInt(6, order)).isEqualTo(plain.getInt(6, order));
            assertThat(slice.getLong(2, order)).isEqualTo(plain.getLong(2, order));
          }
          assertThat(slice.hashCode()).isEqualTo(plain.hashCode());
          assertThat(slice.compareTo(plain)).isZero();
          byte[] part = new byte[3];
          slice.copyTo(1, part, 1, 2);
          assertThat(part).containsExactly(0, '1', '2');
          ByteBuffer direct = ByteBuffer.allocateDirect(11);
          slice.copyTo(direct);
          assertThat(direct.position()).isEqualTo(10);
          assertThat(direct.flip()).isEqualTo(ByteBuffer.wrap(key));
          List<Runnable> outside =
              List.of(
                  () -> slice.byteAt(-1),
                  () -> slice.byteAt(10),
                  () -> slice.getInt(7, ByteOrder.BIG_ENDIAN),
                  () -> slice.getInt(-1, ByteOrder.BIG_ENDIAN),
                  () -> slice.getLong(3, ByteOrder.BIG_ENDIAN),
                  () -> slice.copyTo(-1, part, 0, 1),
                  () -> slice.copyTo(9, part, 0, 2));
          for (Runnable each : outside) {
            assertThatThrownBy(each::run).isInstanceOf(IndexOutOfBoundsException.class);
          }
          assertThatThrownBy(() -> slice.copyTo(ByteBuffer.allocate(9)))
              .isInstanceOf(BufferOverflowException.class);
        });
  }

  @ParameterizedTest
  @ValueSource(strings = {"a", "a\u00ff", "\u00ff", "\u00ff\u00ff", "\0", "a\0"})
  void drop_ofASpace_deletesItsKeysAlone(String prefix) {
    List<String> others = new ArrayList<>();
    for (String first : List.of("", "\0", "a", "b", "\u00fe", "\u00ff")) {
      for (String second : List.of("", "\0", "a", "\u00ff")) {
        for (String third : List.of("", "\0", "\u00ff")) {
          String key = first + second + third;
          if (db.putIfAbsent(b(key), b("x")) && !key.startsWith(prefix)) {
            others.add(key);
          }
        }
      }
    }
    Collections.sort(others);
    others.replaceAll(key -> key + "=x");
    Space space = Space.of(db, b(prefix));
    try (Snapshot before = db.snapshot()) {
      assertThat(contents(space)).isNotEmpty();
      space.drop();
      assertThat(contents(space)).isEmpty();
      assertThat(contents(space, ReadOptions.at(before))).isNotEmpty();
    }
    assertThat(contents(db)).isEqualTo(others);
    space.put(b("again"), b("y"));
    assertThat(contents(space)).containsExactly("again=y");
    db.close();
    open();
    assertThat(contents(Space.of(db, b(prefix)))).containsExactly("again=y");
  }

  @Test
  void deleteRange_ofASpace_hasItsBounds() {
    Space users = Space.of(db, "user/");
    for (String key : List.of("user.", "user/a", "user/b", "user/bc", "user/c", "user0")) {
      db.put(b(key), b("x"));
    }
    users.deleteRange(b("c"), null);
    users.deleteRange(null, b("b"));
    assertThat(contents(db)).containsExactly("user.=x", "user/b=x", "user/bc=x", "user0=x");
    users.deletePrefix(b("bc"));
    assertThat(contents(db)).containsExactly("user.=x", "user/b=x", "user0=x");
    users.deletePrefix(new byte[0]);
    assertThat(contents(db)).containsExactly("user.=x", "user0=x");
    assertThatThrownBy(() -> users.deleteRange(b("b"), b("a")))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void sizesAndCompactions_ofASpace_areThoseOfItsKeys() {
    Space small = Space.of(db, "a/");
    Space large = Space.of(db, "b/");
    Space last = Space.of(db, new byte[] {-1, -1});
    byte[] value = new byte[1000];
    for (int i = 0; i < 2000; i++) {
      new Random(i).nextBytes(value);
      large.put(b(String.format(Locale.ROOT, "%04d", i)), value);
      last.put(b(String.format(Locale.ROOT, "%04d", i)), value);
    }
    small.put(b("0000"), value);
    db.admin().flush();
    Range all = new Range(b("0"), b("9"));
    assertThat(db.admin().approximateSizes(List.of(small.whole(all)))[0]).isLessThan(100_000);
    long[] sizes =
        db.admin()
            .approximateSizes(List.of(large.whole(all), large.whole(new Range(b("0"), b("1")))));
    assertThat(sizes[0]).isGreaterThan(1_500_000);
    assertThat(sizes[1]).isBetween(700_000L, 1_300_000L);
    assertThat(db.admin().approximateSizes(List.of(last.whole(all)))[0]).isGreaterThan(1_500_000);
    for (Space each : List.of(large, last)) {
      assertThat(each.whole(new Range(null, null))).isEqualTo(new Range(each.prefix(), each.end()));
      assertThat(db.admin().approximateSizes(List.of(each.whole(new Range(null, null)))))
          .isEqualTo(db.admin().approximateSizes(List.of(each.whole(all))));
    }

    for (int i = 0; i < 2000; i++) {
      last.delete(b(String.format(Locale.ROOT, "%04d", i)));
      large.delete(b(String.format(Locale.ROOT, "%04d", i)));
    }
    db.admin().compactRange(last.prefix(), last.end());
    assertThat(db.admin().approximateSizes(List.of(last.whole(all)))[0]).isLessThan(100_000);
    Range inside = large.whole(all);
    db.admin().compactRange(inside.from(), inside.to());
    assertThat(db.admin().approximateSizes(List.of(large.whole(all)))[0]).isLessThan(100_000);
  }

  @Test
  void comparatorAndText_ofASpace_areThoseOfTheDatabase() {
    Space users = Space.of(db, "user/");
    users.put(b("1"), b("x"));
    assertThat(users.comparator()).isSameAs(DBComparator.bytewise());
    assertThat(users).hasToString("Space['user/' of " + db + "]");
    assertThat(Space.of(db, "u".repeat(100)))
        .hasToString("Space['" + "u".repeat(64) + "... (100 bytes)' of " + db + "]");
  }

  @Test
  void close_ofTheDatabase_endsItsSpaces() {
    Space users = Space.of(db, "user/");
    users.put(b("1"), b("x"));
    db.close();
    assertThatThrownBy(() -> users.get(b("1"))).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(() -> users.put(b("1"), b("y"))).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(users::iterator).isInstanceOf(DBClosedException.class);
  }

  @Test
  void readOnlyDatabase_itsSpaces_canBeRead() {
    Space.of(db, "user/").put(b("1"), b("x"));
    db.close();
    try (ReadOnlyDB reader = DB.openReadOnly(temp.resolve("db"), Options.DEFAULT)) {
      assertThat(contents(Space.reading(reader, b("user/")))).containsExactly("1=x");
    }
  }

  @Test
  void of_otherComparator_isRefused() {
    Options reversed =
        OPTIONS.toBuilder()
            .comparator(DBComparator.of("test.Reverse", Comparator.<Slice>reverseOrder()))
            .build();
    try (DB other = DB.open(temp.resolve("reversed"), reversed)) {
      assertThat(other.comparator()).isSameAs(reversed.comparator());
      assertThatThrownBy(() -> Space.of(other, "user/"))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessage("a space needs the bytewise comparator, and this database has test.Reverse");
    }
  }

  @Test
  void nulls_anywhere_areRefusedByName() {
    Space users = Space.of(db, "user/");
    List<Map.Entry<String, Runnable>> calls =
        List.of(
            Map.entry("db", () -> Space.of(null, "a")),
            Map.entry("prefix", () -> Space.of(db, (byte[]) null)),
            Map.entry("prefix", () -> Space.of(db, (String) null)),
            Map.entry("key", () -> users.get(null)),
            Map.entry("options", () -> users.get(null, b("a"))),
            Map.entry("key", () -> users.put(null, b("a"))),
            Map.entry("value", () -> users.put(b("a"), null)),
            Map.entry("key", () -> users.delete((byte[]) null)),
            Map.entry("batch", () -> users.write((WriteBatch) null)),
            Map.entry("batch", () -> users.within((WriteBatch) null)),
            Map.entry("transaction", () -> users.within((Transaction) null)),
            Map.entry("options", () -> users.transaction(null)),
            Map.entry("options", () -> users.iterator(null)),
            Map.entry("range", () -> users.whole((Range) null)));
    for (Map.Entry<String, Runnable> call : calls) {
      assertThatThrownBy(call.getValue()::run)
          .isInstanceOf(NullPointerException.class)
          .hasMessage(call.getKey());
    }
  }

  /** A method of DB that a space does not declare would take keys without the prefix. */
  @Test
  void everyMethodOfADatabase_isDeclaredOrBuiltOnOthers() {
    Set<String> builtOnOthers =
        Set.of(
            "containsKey",
            "entries",
            "stream",
            "forEach",
            "find",
            "putIfAbsent",
            "compareAndSet",
            "update",
            "transact",
            "inTransaction",
            "writeAsync");
    Set<String> missing = new TreeSet<>();
    for (Method method : KeyValueStore.class.getMethods()) {
      if (!Modifier.isPublic(method.getModifiers())
          || Modifier.isStatic(method.getModifiers())
          || builtOnOthers.contains(method.getName())) {
        continue;
      }
      boolean declared =
          Arrays.stream(Space.class.getMethods())
              .filter(own -> !own.getDeclaringClass().isInterface())
              .anyMatch(
                  own ->
                      own.getName().equals(method.getName())
                          && Arrays.equals(own.getParameterTypes(), method.getParameterTypes()));
      boolean withoutOptions = method.isDefault() && hasVariantWithOptions(method);
      if (!declared && !withoutOptions) {
        missing.add(method.toString());
      }
    }
    assertThat(missing).isEmpty();
  }

  /** Returns true if another method has options in addition, and so does the work. */
  private static boolean hasVariantWithOptions(Method method) {
    Class<?>[] parameters = method.getParameterTypes();
    return Arrays.stream(KeyValueStore.class.getMethods())
        .filter(other -> other.getName().equals(method.getName()))
        .map(Method::getParameterTypes)
        .anyMatch(
            other ->
                other.length == parameters.length + 1
                    && Set.of(
                            ReadOptions.class,
                            WriteOptions.class,
                            TransactionOptions.class,
                            BulkLoadOptions.class,
                            ChangeOptions.class)
                        .contains(other[0]));
  }

  @Test
  void bulkLoad_intoASpace_staysInIt() {
    Space space = Space.of(db, "users/");
    try (BulkLoader loader = space.loads().bulkLoader()) {
      loader.put(b("a"), b("1"));
      loader.put(ByteBuffer.wrap(b("b")), ByteBuffer.wrap(b("2")));
      assertThat(loader.entryCount()).isEqualTo(2);
      loader.finish();
    }
    assertThat(db.get(b("users/a"))).isEqualTo(b("1"));
    assertThat(space.get(b("b"))).isEqualTo(b("2"));
  }
}

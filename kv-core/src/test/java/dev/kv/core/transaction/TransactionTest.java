package dev.kv.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteOptions;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.read.SnapshotImpl;
import dev.kv.env.Env;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.ConflictException;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OperationTooLargeException;
import dev.kv.errors.TransactionTooOldException;
import dev.kv.table.TableWriter;
import dev.kv.testing.FaultEnv;
import java.lang.ref.ReferenceQueue;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BiConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Transactions of one thread: what they see, what they write, and with what they conflict. */
class TransactionTest extends DbTestBase {
  private static final TransactionOptions SNAPSHOT = TransactionOptions.DEFAULT;
  private static final TransactionOptions SERIALIZABLE = TransactionOptions.SERIALIZABLE;

  /** What happens to the tables between a change and the commit that must notice it. */
  private enum Meanwhile {
    NOTHING,
    SWITCH,
    FLUSH,
    TWO_FLUSHES,
    COMPACTION;

    void happen(TransactionTest test) {
      switch (this) {
        case NOTHING -> {}
        case SWITCH -> test.switchMemTable();
        case FLUSH -> test.db.admin().flush();
        case TWO_FLUSHES -> {
          test.db.admin().flush();
          test.put("_unrelated", "2");
          test.db.admin().flush();
        }
        case COMPACTION -> test.compact(null, null);
      }
    }
  }

  private String get(Transaction transaction, String key) {
    return s(transaction.get(b(key)));
  }

  private void assertConflict(Transaction transaction, String key) {
    long before = db.admin().stats().writes().lastSequence();
    long conflicts = db.admin().stats().transactions().conflicts();
    assertThatThrownBy(transaction::commit)
        .isInstanceOf(ConflictException.class)
        .hasMessage(
            "the transaction was not committed: another write has changed the key '"
                + key
                + "' since it began")
        .satisfies(e -> assertThat(s(((ConflictException) e).key())).isEqualTo(key));
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before);
    assertThat(db.admin().stats().transactions().conflicts()).isEqualTo(conflicts + 1);
  }

  // What a transaction sees.

  @Test
  void reads_ofATransaction_seeItsSnapshotAndItsWrites() {
    open();
    put("a", "1");
    put("b", "1");
    put("e", "1");
    try (Transaction transaction = db.transaction()) {
      put("a", "2");
      put("c", "2");
      put("e", "2");
      assertThat(get(transaction, "a")).isEqualTo("1");
      assertThat(get(transaction, "c")).isEqualTo(NOT_FOUND);
      byte[] value = b("3");
      transaction.put(b("b"), value).put(b("d"), value).delete(b("a"));
      value[0] = 'x';
      assertThat(get(transaction, "a")).isEqualTo(NOT_FOUND);
      assertThat(get(transaction, "b")).isEqualTo("3");
      assertThat(s(transaction.getForUpdate(b("d")))).isEqualTo("3");
      transaction.get(b("d"))[0] = 'y';
      assertThat(transaction.<String>read(b("d"), Slice::toUtf8String)).isEqualTo("3");
      assertThat(transaction.<String>read(b("a"), Slice::toUtf8String)).isNull();
      assertThat(transaction.<String>read(b("c"), Slice::toUtf8String)).isNull();
      assertThat(transaction.<String>read(b("e"), Slice::toUtf8String)).isEqualTo("1");
      assertThat(s(db.get(ReadOptions.at(transaction.snapshot()), b("b")))).isEqualTo("1");
      assertThat(get("b")).isEqualTo("1");
    }
    assertThat(contents()).isEqualTo("(a->2)(b->1)(c->2)(e->2)");
  }

  @Test
  void store_ofATransaction_isWhatItWasBegunWith() {
    open();
    try (Transaction transaction = db.transaction()) {
      assertThat(transaction.store()).isSameAs(db);
      assertThat(transaction.comparator()).isSameAs(db.comparator());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void commit_writes_takeEffectTogether(boolean sync) {
    open();
    put("a", "1");
    long before = db.admin().stats().writes().lastSequence();
    TransactionOptions with =
        TransactionOptions.builder()
            .writeOptions(WriteOptions.builder().sync(sync).build())
            .build();
    try (Transaction transaction = db.transaction(with)) {
      transaction.put(b("b"), b("1")).put(b("b"), b("2")).delete(b("a")).put(b("c"), b(""));
      assertThat(contents()).isEqualTo("(a->1)");
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(b->2)(c->)");
    assertThat(db.admin().stats().writes().lastSequence()).isEqualTo(before + 3);
    reopen();
    assertThat(contents()).isEqualTo("(b->2)(c->)");
  }

  @Test
  void close_withoutACommit_writesNothing() {
    open();
    Transaction transaction = db.transaction();
    transaction.put(b("a"), b("1"));
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(1, 0, 0, 0, 0, 0));
    assertThat(db.admin().stats().views().snapshots()).isEqualTo(1);
    transaction.close();
    transaction.close();
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 0, 0, 0, 0, 0));
    assertThat(db.admin().stats().views().snapshots()).isZero();
    assertThat(contents()).isEmpty();
  }

  @Test
  void use_afterTheEnd_isRefused() {
    open();
    put("a", "1");
    for (boolean commits : new boolean[] {false, true}) {
      Transaction transaction = db.transaction();
      DBIterator cursor = transaction.iterator();
      cursor.seekToFirst();
      if (commits) {
        transaction.commit();
      } else {
        transaction.close();
      }
      assertThat(db.admin().stats().views().iterators()).as("its own").isZero();
      for (Runnable use :
          List.<Runnable>of(
              () -> transaction.get(b("a")),
              () -> transaction.getForUpdate(b("a")),
              () -> transaction.getAll(List.of(b("a"))),
              () -> transaction.getAll(List.of()),
              () -> transaction.read(b("a"), Slice::length),
              () -> transaction.put(b("a"), b("2")),
              () -> transaction.delete(b("a")),
              transaction::iterator,
              transaction::snapshot,
              transaction::commit,
              cursor::next,
              cursor::seekToLast)) {
        assertThatThrownBy(use::run).isInstanceOf(IllegalStateException.class);
      }
      cursor.close();
      transaction.close();
    }
    assertThat(db.admin().stats().views().iterators()).isZero();
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 1, 0, 0, 0, 0));
  }

  @Test
  void use_afterTheCloseOfTheDatabase_throwsClosed() {
    open();
    put("a", "1");
    Transaction transaction = db.transaction(SERIALIZABLE);
    transaction.put(b("a"), b("2"));
    DBIterator cursor = transaction.iterator();
    cursor.seekToFirst();
    close();
    assertThatThrownBy(() -> transaction.get(b("b"))).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(cursor::next).isInstanceOf(DBClosedException.class);
    cursor.close();
    assertThatThrownBy(transaction::commit).isInstanceOf(DBClosedException.class);
    transaction.close();
    assertThatThrownBy(db::transaction).isInstanceOf(DBClosedException.class);
    reopen();
    assertThat(contents()).isEqualTo("(a->1)");
  }

  @Test
  void commit_afterTheCloseOfTheDatabase_throwsClosed() {
    open();
    Transaction transaction = db.transaction();
    transaction.put(b("a"), b("2"));
    close();
    assertThatThrownBy(transaction::commit).isInstanceOf(DBClosedException.class);
  }

  @Test
  void commit_withACursor_afterTheCloseOfTheDatabase_saysThatNothingWasWritten() {
    open();
    put("a", "1");
    Transaction transaction = db.transaction();
    transaction.put(b("a"), b("2"));
    DBIterator cursor = transaction.iterator();
    cursor.seekToFirst();
    close();
    assertThatThrownBy(transaction::commit)
        .isInstanceOf(DBClosedException.class)
        .hasMessage("the database is closed: the write was not done");
  }

  @Test
  void use_afterACursorWasClosedBesideTheDatabase_saysThatTheDatabaseIsClosed() {
    open();
    put("a", "1");
    try (Transaction transaction = db.transaction()) {
      try (DBIterator cursor = transaction.iterator()) {
        cursor.seekToFirst();
        close();
      }
      transaction.put(b("a"), b("2"));
      assertThatThrownBy(() -> transaction.get(b("b"))).isInstanceOf(DBClosedException.class);
      assertThatThrownBy(transaction::commit).isInstanceOf(DBClosedException.class);
    }
  }

  @Test
  void write_ofAKeyThatIsTooLong_throwsAndLeavesTheTransactionUnchanged() {
    open();
    byte[] tooLong = new byte[(64 << 20) + 1];
    TransactionOptions large = TransactionOptions.builder().maxBytes(1L << 30).build();
    try (Transaction transaction = db.transaction(large)) {
      transaction.put(b("a"), b("1"));
      assertThatThrownBy(() -> transaction.put(tooLong, b("1")))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("64 MiB");
      assertThatThrownBy(() -> transaction.delete(tooLong))
          .isInstanceOf(IllegalArgumentException.class);
      transaction.commit();
    }
    assertThat(get("a")).isEqualTo("1");
  }

  // Conflicts.

  @ParameterizedTest
  @EnumSource
  void commit_writtenKeyChangedMeanwhile_conflicts(Meanwhile meanwhile) {
    open();
    put("k", "1");
    put("gone", "1");
    for (String key : List.of("k", "new", "gone")) {
      for (boolean deletes : new boolean[] {false, true}) {
        try (Transaction transaction = db.transaction()) {
          transaction.put(b("other"), b("x")).put(b(key), b("x"));
          if (deletes) {
            delete(key);
          } else {
            put(key, "2");
          }
          meanwhile.happen(this);
          assertConflict(transaction, key);
        }
      }
    }
    assertThat(get("other")).isEqualTo(NOT_FOUND);
  }

  @Test
  void commit_conflictOfALongKey_namesItsHead() {
    open();
    byte[] key = b("k".repeat(1 << 20));
    try (Transaction transaction = db.transaction()) {
      transaction.put(key, b("1"));
      db.put(key, b("2"));
      assertThatThrownBy(transaction::commit)
          .isInstanceOfSatisfying(ConflictException.class, e -> assertThat(e.key()).isEqualTo(key))
          .hasMessageContaining("the key '" + "k".repeat(64) + "... (1048576 bytes)' since");
    }
  }

  @ParameterizedTest
  @EnumSource
  void commit_keyReadForUpdateChangedMeanwhile_conflicts(Meanwhile meanwhile) {
    open();
    for (TransactionOptions with : List.of(TransactionOptions.DEFAULT, SERIALIZABLE)) {
      for (boolean writes : new boolean[] {false, true}) {
        try (Transaction transaction = db.transaction(with)) {
          transaction.getForUpdate(b("k"));
          if (writes) {
            transaction.put(b("other"), b("x"));
          }
          put("k", "2");
          meanwhile.happen(this);
          assertConflict(transaction, "k");
        }
      }
    }
    assertThat(get("other")).isEqualTo(NOT_FOUND);
  }

  @ParameterizedTest
  @EnumSource
  void commit_keyReadChangedMeanwhile_conflictsOnlyIfSerializable(Meanwhile meanwhile) {
    open();
    put("k", "1");
    put("j", "1");
    try (Transaction transaction = db.transaction()) {
      transaction.get(b("k"));
      transaction.put(b("a"), b("1"));
      put("k", "2");
      meanwhile.happen(this);
      transaction.commit();
    }
    List<BiConsumer<Transaction, byte[]>> reads =
        List.of(
            (transaction, key) -> transaction.read(key, Slice::length),
            (transaction, key) -> transaction.get(key),
            (transaction, key) -> transaction.getAll(List.of(b("b"), key)));
    for (String key : List.of("k", "absent")) {
      for (BiConsumer<Transaction, byte[]> read : reads) {
        try (Transaction transaction = db.transaction(SERIALIZABLE)) {
          read.accept(transaction, b(key));
          transaction.put(b("b"), b("1"));
          put(key, "3");
          meanwhile.happen(this);
          assertConflict(transaction, key);
        }
      }
    }
    try (Transaction transaction = db.transaction(SERIALIZABLE)) {
      transaction.get(b("k"));
      put("k", "4");
      meanwhile.happen(this);
      assertThat(get(transaction, "k")).isEqualTo("3");
      transaction.commit(); // it has read one state, and written nothing
    }
    assertThat(get("a")).isEqualTo("1");
    assertThat(get("b")).isEqualTo(NOT_FOUND);
  }

  /** What was there before the transaction is no conflict, wherever it is. */
  @ParameterizedTest
  @EnumSource
  void commit_keysChangedBeforeOrOthersChangedMeanwhile_isDone(Meanwhile meanwhile) {
    open();
    put("deep", "1");
    delete("k");
    compact(null, null);
    put("k", "1");
    put("k", "2");
    delete("gone");
    try (Transaction transaction = db.transaction(SERIALIZABLE)) {
      assertThat(get(transaction, "k")).isEqualTo("2");
      assertThat(get(transaction, "gone")).isEqualTo(NOT_FOUND);
      assertThat(get(transaction, "deep")).isEqualTo("1");
      try (DBIterator cursor = transaction.iterator()) {
        cursor.seek(b("k"));
        cursor.next();
        assertThat(cursor.isValid()).isFalse();
      }
      put("j", "2");
      put("a", "2");
      meanwhile.happen(this);
      put("j", "3");
      transaction.put(b("k"), b("3")).put(b("deep"), b("3")).delete(b("gone"));
      transaction.commit();
    }
    assertThat(get("k")).isEqualTo("3");
    assertThat(db.admin().stats().transactions().committed()).isEqualTo(1);
  }

  /** Both read both keys, and each writes one of them. */
  @Test
  void getAll_ofATransaction_seesItsSnapshotAndItsWritesInTheOrderOfTheKeys() {
    open();
    put("a", "1");
    put("b", "1");
    put("c", "1");
    db.admin().flush();
    try (Transaction transaction = db.transaction()) {
      put("a", "2");
      transaction.put(b("b"), b("3")).delete(b("c")).put(b("d"), b("4"));
      List<byte[]> keys = Stream.of("d", "a", "x", "c", "b", "a").map(DbTestBase::b).toList();
      List<byte[]> values = transaction.getAll(keys);
      assertThat(values)
          .extracting(DbTestBase::s)
          .containsExactly("4", "1", NOT_FOUND, NOT_FOUND, "3", "1");
      values.get(4)[0] = 'x';
      assertThat(get(transaction, "b")).isEqualTo("3");
      assertThatThrownBy(() -> values.add(b("y")))
          .isInstanceOf(UnsupportedOperationException.class);
      assertThat(transaction.getAll(List.of())).isEmpty();
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(a->2)(b->3)(d->4)");
  }

  @Test
  void getAll_keyChangedMeanwhile_conflictsOnlyIfSerializable() {
    open();
    put("a", "1");
    for (TransactionOptions level : List.of(SNAPSHOT, SERIALIZABLE)) {
      try (Transaction transaction = db.transaction(level)) {
        transaction.getAll(List.of(b("b"), b("a")));
        transaction.put(b("c"), b("1"));
        put("a", "2");
        if (level == SERIALIZABLE) {
          assertConflict(transaction, "a");
        } else {
          transaction.commit();
        }
      }
    }
  }

  @Test
  void containsKey_keyCreatedMeanwhile_conflictsOnlyIfSerializable() {
    open();
    for (TransactionOptions level : List.of(SNAPSHOT, SERIALIZABLE)) {
      db.delete(b("a"));
      try (Transaction transaction = db.transaction(level)) {
        assertThat(transaction.containsKey(b("a"))).isFalse();
        transaction.put(b("c"), b("1"));
        assertThat(transaction.containsKey(b("c"))).as("its own write").isTrue();
        put("a", "2");
        if (level == SERIALIZABLE) {
          assertConflict(transaction, "a");
        } else {
          transaction.commit();
        }
      }
    }
  }

  @Test
  void writeSkew_isPossibleAtLevelSnapshotOnly() {
    open();
    for (TransactionOptions with : List.of(TransactionOptions.DEFAULT, SERIALIZABLE)) {
      put("x", "1");
      put("y", "1");
      try (Transaction first = db.transaction(with);
          Transaction second = db.transaction(with)) {
        assertThat(get(first, "x") + get(first, "y")).isEqualTo("11");
        assertThat(get(second, "x") + get(second, "y")).isEqualTo("11");
        first.put(b("x"), b("0"));
        second.put(b("y"), b("0"));
        first.commit();
        if (with == SERIALIZABLE) {
          assertConflict(second, "x");
        } else {
          second.commit();
        }
      }
    }
    assertThat(get("x") + get("y")).isEqualTo("01");
  }

  private interface Walk {
    void over(DBIterator cursor);
  }

  /** Keys b, d, f, h are there; "written" is put by another after the walk. */
  private void assertRange(
      ReadOptions read, Walk walk, List<String> conflicting, List<String> harmless) {
    for (Meanwhile meanwhile : List.of(Meanwhile.NOTHING, Meanwhile.FLUSH)) {
      for (boolean closes : new boolean[] {false, true}) {
        for (String key : conflicting) {
          try (Transaction transaction = walked(read, walk, closes)) {
            changeAndBack(key, meanwhile);
            assertConflict(transaction, key);
          }
        }
        for (String key : harmless) {
          try (Transaction transaction = walked(read, walk, closes)) {
            changeAndBack(key, meanwhile);
            transaction.commit();
            delete("result");
          }
        }
      }
    }
  }

  private Transaction walked(ReadOptions read, Walk walk, boolean closes) {
    Transaction transaction = db.transaction(SERIALIZABLE);
    DBIterator cursor = transaction.iterator(read);
    walk.over(cursor);
    if (closes) {
      cursor.close();
    }
    transaction.put(b("result"), b("1"));
    return transaction;
  }

  /** Changes a key so that it is as before, for the next case. */
  private void changeAndBack(String key, Meanwhile meanwhile) {
    String before = get(key);
    put(key, "changed");
    if (before.equals(NOT_FOUND)) {
      delete(key);
    } else {
      put(key, before);
    }
    meanwhile.happen(this);
  }

  @Test
  void commit_rangeOfACursorChangedMeanwhile_conflicts() {
    open();
    for (String key : List.of("b", "d", "f", "h")) {
      put(key, "1");
    }
    ReadOptions all = ReadOptions.DEFAULT;
    assertRange(all, cursor -> {}, List.of(), List.of("a", "b", "c"));
    assertRange(all, DBIterator::seekToFirst, List.of("a", "b"), List.of("bb", "c", "d"));
    assertRange(all, DBIterator::seekToLast, List.of("h", "i", "zz"), List.of("g", "f", "a"));
    assertRange(
        all, cursor -> cursor.seek(b("c")), List.of("c", "cc", "d"), List.of("b", "bb", "dd"));
    assertRange(
        all,
        cursor -> cursor.seekForPrev(b("e")),
        List.of("d", "dd", "e"),
        List.of("c", "ee", "f"));
    assertRange(all, cursor -> cursor.seek(b("k")), List.of("k", "z"), List.of("h", "j"));
    assertRange(all, cursor -> cursor.seekForPrev(b("a")), List.of("", "a"), List.of("aa", "b"));
    assertRange(
        all,
        cursor -> {
          cursor.seek(b("d"));
          cursor.next();
          cursor.prev();
          cursor.prev();
        },
        List.of("b", "c", "d", "e", "f"),
        List.of("a", "ff", "g"));
    assertRange(
        all,
        cursor -> {
          cursor.seek(b("b"));
          cursor.next();
          cursor.next();
          cursor.prev();
        },
        List.of("b", "c", "d", "e", "f"),
        List.of("a", "ff", "g"));
    assertRange(
        all,
        cursor -> {
          for (cursor.seek(b("f")); cursor.isValid(); cursor.next()) {
            assertThat(s(cursor.value())).isEqualTo("1");
          }
          cursor.seek(b("a"));
        },
        List.of("a", "b", "f", "h", "zzz"),
        List.of("bb", "d", "ee"));
    ReadOptions some = ReadOptions.builder().lowerBound(b("c")).upperBound(b("g")).build();
    assertRange(
        some,
        cursor -> {
          for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
            assertThat(s(cursor.value())).isEqualTo("1");
          }
        },
        List.of("c", "d", "f", "fff"),
        List.of("b", "bb", "g", "h"));
    assertRange(some, cursor -> cursor.seekForPrev(b("c")), List.of("c"), List.of("b", "cc", "d"));
    assertRange(some, cursor -> cursor.seek(b("a")), List.of("c", "d"), List.of("a", "b", "f"));
    assertRange(
        some, cursor -> cursor.seekForPrev(b("z")), List.of("f", "ff"), List.of("g", "h", "z"));
  }

  /** The tables of a deleted range are dropped as a whole: no tombstone tells of it. */
  @ParameterizedTest
  @EnumSource
  void commit_keyInARangeDeletedMeanwhile_conflictsIfItExisted(Meanwhile meanwhile) {
    open();
    for (boolean reads : new boolean[] {false, true}) {
      for (String key : List.of("k", "absent", "outside")) {
        put("a", "1");
        put("k", "1");
        put("outside", "1");
        compact(null, null);
        try (Transaction transaction = db.transaction(reads ? SERIALIZABLE : SNAPSHOT)) {
          if (reads) {
            transaction.get(b(key));
            transaction.put(b("z"), b("2"));
          } else {
            transaction.put(b(key), b("2"));
          }
          db.deleteRange(b("a"), b("m"));
          meanwhile.happen(this);
          if (key.equals("k")) {
            assertConflict(transaction, key);
          } else {
            transaction.commit();
            assertThat(get("k")).isEqualTo(NOT_FOUND);
          }
        }
      }
    }
  }

  /** A table that is linked as it is has the sequence number 0: nothing looks newer. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void commit_keyLoadedMeanwhile_conflicts(boolean overEntries) {
    open();
    for (boolean scans : new boolean[] {false, true}) {
      for (String key : List.of("k", "unrelated")) {
        if (overEntries) {
          put("k", "1");
          put("a", "1");
          put("unrelated", "1");
          compact(null, null);
        }
        try (Transaction transaction = db.transaction(SERIALIZABLE)) {
          if (scans) {
            ReadOptions read =
                ReadOptions.builder().lowerBound(b(key)).upperBound(b(key + "z")).build();
            transaction.forEach(read, (each, value) -> {});
          } else {
            transaction.get(b(key));
          }
          transaction.put(b("result"), b("2"));
          Path table = temp.resolve("table" + scans + key);
          try (TableWriter writer = TableWriter.forIngest(table, options)) {
            writer.put(b("a"), b("loaded"));
            writer.put(b("k"), b("loaded"));
            writer.finish();
          }
          db.loads().ingest(List.of(table));
          if (key.equals("k")) {
            assertConflict(transaction, key);
          } else {
            transaction.commit();
          }
        }
        db.deleteRange(null, null);
      }
    }
  }

  @Test
  void commit_scannedRangeDeletedMeanwhile_conflictsIfItHadKeys() {
    open();
    for (String lower : List.of("b", "d")) {
      put("b", "1");
      put("c", "1");
      put("x", "1");
      compact(null, null);
      ReadOptions read = ReadOptions.builder().lowerBound(b(lower)).build();
      try (Transaction transaction = db.transaction(SERIALIZABLE)) {
        transaction.forEach(read, (key, value) -> {});
        transaction.put(b("z"), b("2"));
        db.deleteRange(b("a"), b("m"));
        if (lower.equals("b")) {
          assertConflict(transaction, "b");
        } else {
          transaction.commit();
        }
      }
    }
  }

  @Test
  void reads_ofATransactionWhoseRangeIsDeleted_seeItsSnapshot() {
    open();
    put("k", "1");
    compact(null, null);
    try (Transaction transaction = db.transaction()) {
      db.deleteRange(b("a"), b("z"));
      assertThat(get(transaction, "k")).isEqualTo("1");
      transaction.put(b("q"), b("1"));
      try (DBIterator cursor = transaction.iterator()) {
        cursor.seekToFirst();
        assertThat(at(cursor)).isEqualTo("k->1");
      }
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(q->1)");
  }

  /** A cursor of level snapshot is not followed. */
  @Test
  void commit_rangeChangedMeanwhileAtLevelSnapshot_isDone() {
    open();
    put("a", "1");
    try (Transaction transaction = db.transaction()) {
      transaction.forEach(ReadOptions.DEFAULT, (key, value) -> assertThat(key.length()).isOne());
      transaction.put(b("result"), b("1"));
      put("a", "2");
      transaction.commit();
    }
  }

  // The check of the tables, and what comes between it and the check of the leader.

  private final AtomicReference<Runnable> hook = new AtomicReference<>();
  private final AtomicInteger ran = new AtomicInteger();

  private Options hooked() {
    return defaults().toBuilder()
        .comparator(
            DBComparator.of(
                "test.Hooked",
                (a, b) -> {
                  int order = a.toUtf8String().compareToIgnoreCase(b.toUtf8String());
                  boolean checked = a.toUtf8String().equals("k") || b.toUtf8String().equals("k");
                  Runnable next = checked ? hook.getAndSet(null) : null;
                  if (next != null) {
                    ran.incrementAndGet();
                    next.run();
                  }
                  return order;
                }))
        .build();
  }

  @ParameterizedTest
  @ValueSource(ints = {0, 1, 2})
  void commit_keyChangedDuringTheCheckOfTheTables_conflicts(int flushes) {
    open(hooked());
    put("j", "1");
    put("k", "1");
    db.admin().flush();
    for (boolean changes : new boolean[] {true, false}) {
      try (Transaction transaction = db.transaction()) {
        transaction.put(b("k"), b("3"));
        put("a", "1");
        db.admin().flush(); // the leader cannot decide alone
        put("b", "1");
        ran.set(0);
        hook.set(
            () -> {
              put(changes ? "K" : "l", "2");
              for (int i = 0; i < flushes; i++) {
                db.admin().flush();
                put("c", "v" + i);
              }
            });
        if (changes) {
          assertThatThrownBy(transaction::commit)
              .isInstanceOf(ConflictException.class)
              .hasMessageContaining("'k'");
        } else {
          transaction.commit();
        }
        assertThat(ran).hasValue(1);
      }
    }
    assertThat(get("k")).isEqualTo("3");
  }

  // Cursors.

  /** Random walks over random writes on random tables, against a map. */
  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void cursors_overRandomWrites_agreeWithAMap(boolean serializable) {
    long seed = Long.getLong("kv.seed", 20_261_122);
    Random random = new Random(seed);
    open();
    NavigableMap<String, String> stored = new TreeMap<>();
    for (int round = 0; round < 300; round++) {
      String where = "seed " + seed + ", round " + round;
      for (int i = 0; i < 5; i++) {
        change(random, stored, null);
      }
      if (random.nextInt(20) == 0) {
        db.admin().flush();
      }
      NavigableMap<String, String> model = new TreeMap<>(stored);
      try (Transaction transaction =
          db.transaction(serializable ? SERIALIZABLE : TransactionOptions.DEFAULT)) {
        for (int i = random.nextInt(12); i > 0; i--) {
          change(random, model, transaction);
        }
        walk(where, random, model, transaction);
        if (random.nextBoolean()) {
          transaction.commit();
          stored = model;
        }
      }
      assertThat(db.admin().stats().views().iterators()).as(where).isZero();
    }
  }

  private void change(Random random, Map<String, String> model, Transaction transaction) {
    String key = "k" + random.nextInt(20);
    String value = "v" + random.nextInt(1000);
    if (random.nextInt(3) == 0) {
      model.remove(key);
      if (transaction == null) {
        delete(key);
      } else {
        transaction.delete(b(key));
      }
    } else {
      model.put(key, value);
      if (transaction == null) {
        put(key, value);
      } else {
        transaction.put(b(key), b(value));
      }
    }
  }

  private void walk(
      String where, Random random, NavigableMap<String, String> model, Transaction transaction) {
    ReadOptions.Builder read = ReadOptions.builder();
    NavigableMap<String, String> view = new TreeMap<>(model);
    if (random.nextInt(3) == 0) {
      String lower = "k" + random.nextInt(20);
      String upper = "k" + random.nextInt(20);
      read.lowerBound(b(lower)).upperBound(b(upper));
      view =
          lower.compareTo(upper) <= 0
              ? new TreeMap<>(view.subMap(lower, true, upper, false))
              : new TreeMap<>();
    }
    try (DBIterator cursor = transaction.iterator(read.build())) {
      assertThatThrownBy(cursor::isValid).isInstanceOf(IllegalStateException.class);
      assertThat(cursor.isPlaced()).isFalse();
      Map.Entry<String, String> expected = null;
      for (int i = 0; i < 60; i++) {
        String target = "k" + random.nextInt(21);
        int choice = expected == null ? random.nextInt(4) : random.nextInt(16);
        switch (choice) {
          case 0 -> {
            cursor.seekToFirst();
            expected = view.firstEntry();
          }
          case 1 -> {
            cursor.seekToLast();
            expected = view.lastEntry();
          }
          case 2 -> {
            cursor.seek(ByteBuffer.wrap(b(target)));
            expected = view.ceilingEntry(target);
          }
          case 3 -> {
            cursor.seekForPrev(ByteBuffer.wrap(b(target)));
            expected = view.floorEntry(target);
          }
          case 4, 5, 6, 7, 8 -> {
            cursor.next();
            expected = view.higherEntry(expected.getKey());
          }
          case 9, 10, 11, 12, 13 -> {
            cursor.prev();
            expected = view.lowerEntry(expected.getKey());
          }
          default -> change(random, model, transaction); // the cursor does not show it
        }
        String wanted =
            expected == null ? "(invalid)" : expected.getKey() + "->" + expected.getValue();
        assertThat(at(cursor)).as(where + ", step " + i).isEqualTo(wanted);
        if (expected == null) {
          assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
        } else {
          assertThat(cursor.keySlice().toUtf8String() + "->" + cursor.valueSlice().toUtf8String())
              .isEqualTo(wanted);
        }
      }
    }
  }

  @Test
  void scans_ofATransaction_goBothWaysAndAllowWrites() {
    open();
    put("a", "1");
    put("b", "1");
    put("c", "1");
    try (Transaction transaction = db.transaction()) {
      transaction.put(b("bb"), b("2")).delete(b("c"));
      List<String> seen = new ArrayList<>();
      transaction.forEach(
          ReadOptions.DEFAULT,
          (key, value) -> {
            seen.add(key.toUtf8String());
            transaction.delete(key.toByteArray());
            transaction.put(b("x" + seen.size()), b("3"));
          });
      assertThat(seen).containsExactly("a", "b", "bb");
      ReadOptions down = ReadOptions.builder().descending(true).build();
      assertThat(transaction.stream(down).map(entry -> s(entry.key())))
          .containsExactly("x3", "x2", "x1");
      seen.clear();
      transaction.forEach(down, (key, value) -> seen.add(key.toUtf8String()));
      assertThat(seen).containsExactly("x3", "x2", "x1");
      assertThatThrownBy(() -> transaction.iterator(down))
          .isInstanceOf(IllegalArgumentException.class);
      assertThatThrownBy(() -> transaction.iterator(ReadOptions.at(transaction.snapshot())))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("its own snapshot");
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(x1->3)(x2->3)(x3->3)");
  }

  @Test
  void cursor_afterAReadThatFailed_isInvalidAndCanBeClosed() {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(options.toBuilder().env(env).blockCacheSize(0).build());
    for (int i = 0; i < 200; i++) {
      put(key(i), "v".repeat(100));
    }
    db.admin().flush();
    for (boolean forward : new boolean[] {true, false}) {
      try (Transaction transaction = db.transaction()) {
        DBIterator closed = transaction.iterator();
        DBIterator open = transaction.iterator();
        for (DBIterator cursor : List.of(closed, open)) {
          Walk first = forward ? DBIterator::seekToFirst : DBIterator::seekToLast;
          Walk next = forward ? DBIterator::next : DBIterator::prev;
          first.over(cursor);
          env.fail(FaultEnv.Fault.ERROR, 1, operation -> operation.kind() == FaultEnv.Kind.READ);
          assertThatThrownBy(
                  () -> {
                    while (cursor.isValid()) {
                      next.over(cursor);
                    }
                  })
              .isInstanceOf(DBIOException.class);
          assertThat(cursor.isValid()).isFalse();
          assertThatThrownBy(cursor::key)
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("is at no entry");
        }
        closed.close();
        transaction.put(b("a"), b("1")).commit();
      }
    }
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void slices_ofOwnWrites_areRevokedByTheNextMove() {
    open();
    List<Walk> moves =
        List.of(DBIterator::next, DBIterator::seekToLast, cursor -> cursor.seek(b("a")));
    try (Transaction transaction = db.transaction();
        DBIterator cursor = transaction.put(b("a"), b("1")).put(b("b"), b("2")).iterator()) {
      assertThat(cursor.isPlaced()).isFalse();
      for (Walk move : moves) {
        assertRevoked(cursor, move);
        assertThat(cursor.isPlaced()).isTrue();
      }
      assertRevoked(cursor, DBIterator::close);
    }
  }

  private static void assertRevoked(DBIterator cursor, Walk move) {
    cursor.seekToFirst();
    Slice key = cursor.keySlice();
    Slice value = cursor.valueSlice();
    assertThat(key.toUtf8String() + value.toUtf8String()).isEqualTo("a1");
    move.over(cursor);
    assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(value::length).isInstanceOf(IllegalStateException.class);
  }

  // Limits.

  @Test
  void operation_beyondTheLimitOfBytes_isRefusedAndTheRestCommits() {
    open();
    TransactionOptions with =
        TransactionOptions.SERIALIZABLE.toBuilder().maxBytes(3 * 64 + 10).build();
    try (Transaction transaction = db.transaction(with)) {
      transaction.put(b("a"), b("1234"));
      transaction.get(b("b"));
      assertThatThrownBy(() -> transaction.put(b("c"), b("1234")))
          .isInstanceOf(OperationTooLargeException.class)
          .hasMessageContaining("134 bytes")
          .hasMessageContaining("limit of 202");
      transaction.get(b("c"));
      transaction.get(b("c"));
      assertThatThrownBy(() -> transaction.get(b("d")))
          .isInstanceOf(OperationTooLargeException.class);
      assertThatThrownBy(() -> transaction.delete(b("d")))
          .isInstanceOf(OperationTooLargeException.class);
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(a->1234)");
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 1, 0, 3, 0, 0));
    try (Transaction transaction = db.transaction(with);
        DBIterator cursor = transaction.iterator()) {
      assertThatThrownBy(
              () -> {
                for (int i = 0; i < 10; i++) {
                  cursor.seek(b("a"));
                }
              })
          .isInstanceOf(OperationTooLargeException.class);
    }
    assertThatThrownBy(() -> TransactionOptions.builder().maxBytes(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void getAll_beyondTheLimitOfBytes_leavesTheTransactionAsItWas() {
    open();
    TransactionOptions with = TransactionOptions.SERIALIZABLE.toBuilder().maxBytes(206).build();
    try (Transaction transaction = db.transaction(with)) {
      transaction.put(b("x"), b("1"));
      assertThatThrownBy(() -> transaction.getAll(List.of(b("a"), b("b"), b("c"))))
          .isInstanceOf(OperationTooLargeException.class);
      put("a", "of another");
      transaction.put(b("y"), b("1"));
      assertThat(transaction.getAll(List.of(b("d"), b("d")))).containsOnlyNulls();
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(a->of another)(x->1)(y->1)");
  }

  @Test
  void getForUpdate_beyondTheLimitOfBytes_leavesTheTransactionAsItWas() {
    open();
    TransactionOptions with = TransactionOptions.SERIALIZABLE.toBuilder().maxBytes(100).build();
    try (Transaction transaction = db.transaction(with)) {
      transaction.get(b("a"));
      assertThatThrownBy(() -> transaction.getForUpdate(b("b")))
          .isInstanceOf(OperationTooLargeException.class);
      put("a", "of another");
      transaction.commit(); // nothing was written, and no key was read for update
    }
  }

  /** Else a compaction drops the traces of a write that the check has to find. */
  @Test
  void commit_afterItsSnapshotWasClosed_writesNothing() {
    open();
    put("k", "1");
    try (Transaction transaction = db.transaction()) {
      transaction.getForUpdate(b("k"));
      transaction.snapshot().close();
      delete("k");
      db.admin().flush();
      compact(null, null);
      transaction.put(b("x"), b("1"));
      assertThatThrownBy(transaction::commit)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("snapshot of the transaction was closed");
    }
    assertThat(contents()).isEmpty();
  }

  @Test
  void operations_upToTheLimitOfBytes_areDone() {
    open();
    TransactionOptions with = TransactionOptions.SERIALIZABLE.toBuilder().maxBytes(400).build();
    put("k", "1");
    try (Transaction transaction = db.transaction(with);
        DBIterator cursor = transaction.iterator()) {
      cursor.seek(b("a".repeat(50)));
      cursor.seek(b("z")); // the range before had 64 bytes and two keys of 50 and of 1
      assertThatThrownBy(() -> transaction.put(b("x"), new byte[400 - 115 - 64]))
          .isInstanceOf(OperationTooLargeException.class)
          .hasMessageContaining("has 115 bytes");
      transaction.put(b("x"), new byte[400 - 115 - 64 - 1]);
    }
  }

  /** So a transaction that the program has closed is no leak when it is collected. */
  @Test
  void registration_ended_isNotEndedAgain() {
    open();
    OpenTransaction ended = registration();
    assertThat(ended.end()).isTrue();
    assertThat(ended.end()).isFalse();
    assertThat(ended.expire()).isFalse();
    assertThat(ended.beginCommit()).isFalse();
    OpenTransaction expired = registration();
    assertThat(expired.expire()).isTrue();
    assertThat(expired.beginCommit()).isFalse();
    assertThat(expired.end()).isFalse();
    OpenTransaction committing = registration();
    assertThat(committing.beginCommit()).isTrue();
    assertThat(committing.expire()).as("of a commit").isFalse();
    assertThat(committing.isEnded()).isFalse();
    assertThat(committing.end()).isTrue();
    assertThat(committing.isEnded()).isTrue();
    assertThat(db.admin().stats().views().snapshots()).isZero();
  }

  private OpenTransaction registration() {
    SnapshotImpl snapshot = (SnapshotImpl) db.snapshot();
    return new OpenTransaction(null, snapshot, Long.MAX_VALUE, new ReferenceQueue<>());
  }

  @Test
  void operation_beyondTheLimitOfAge_endsTheTransaction() {
    open();
    TransactionOptions with = TransactionOptions.builder().maxAge(Duration.ofNanos(1)).build();
    Transaction transaction = db.transaction(with);
    long begun = System.nanoTime();
    while (System.nanoTime() - begun < 2) {
      Thread.onSpinWait();
    }
    assertThatThrownBy(() -> transaction.put(b("a"), b("1")))
        .isInstanceOf(TransactionTooOldException.class)
        .hasMessageContaining("PT0.000000001S");
    assertThatThrownBy(transaction::commit).isInstanceOf(IllegalStateException.class);
    assertThat(db.admin().stats().views().snapshots()).isZero();
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 0, 0, 0, 1, 0));
    for (Duration wrong :
        List.of(Duration.ZERO, Duration.ofSeconds(-1), Duration.ofDays(200_000))) {
      assertThatThrownBy(() -> TransactionOptions.builder().maxAge(wrong))
          .isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void transaction_lost_isEndedAndCounted() {
    open();
    put("a", "1");
    beginAndLose();
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (db.admin().stats().transactions().leaked() == 0 && System.nanoTime() < end) {
      System.gc();
    }
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 0, 0, 0, 0, 1));
    assertThat(db.admin().stats().views().snapshots()).isZero();
  }

  private void beginAndLose() {
    Transaction lost = db.transaction(SERIALIZABLE);
    lost.put(b("b"), b("2"));
    DBIterator cursor = lost.iterator();
    cursor.seekToFirst();
  }

  @Test
  void transaction_olderThanItsLimit_isEndedByTheMaintenance() throws InterruptedException {
    open();
    TransactionOptions with = TransactionOptions.builder().maxAge(Duration.ofMillis(1)).build();
    Transaction transaction = db.transaction(with);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
    while (db.admin().stats().transactions().tooOld() == 0 && System.nanoTime() < end) {
      Thread.sleep(2);
      put("a", "1");
      db.admin().flush();
    }
    assertThat(db.admin().stats().views().snapshots()).isZero();
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 0, 0, 0, 1, 0));
    assertThatThrownBy(() -> transaction.get(b("a")))
        .isInstanceOf(TransactionTooOldException.class);
    assertThat(db.admin().stats().transactions().tooOld()).isEqualTo(1);
    transaction.close();
  }

  @Test
  void overwrittenValue_inATransaction_givesItsBytesBack() {
    open();
    TransactionOptions with = TransactionOptions.builder().maxBytes(2000).build();
    try (Transaction transaction = db.transaction(with)) {
      for (int i = 0; i < 100; i++) {
        transaction.put(b("k"), new byte[800]);
        transaction.delete(b("k"));
      }
      transaction.put(b("k"), new byte[800]);
      try (DBIterator cursor = transaction.iterator()) {
        transaction.put(b("k"), new byte[800]);
        transaction.put(b("k"), new byte[801]);
        assertThatThrownBy(() -> transaction.put(b("l"), new byte[800]))
            .isInstanceOf(OperationTooLargeException.class);
        cursor.seekToFirst();
        assertThat(cursor.value()).hasSize(800);
      }
      transaction.put(b("k"), new byte[802]);
      transaction.put(b("l"), new byte[800]);
      transaction.commit();
    }
    assertThat(db.get(b("k"))).hasSize(802);
  }

  /** The contract of an order allows any negative number, also the one that has no opposite. */
  @Test
  void iterator_ofAnOrderThatReturnsTheLeastNumber_runsBackward() {
    DBComparator order =
        DBComparator.of(
            "test.Least",
            (a, b) -> a.compareTo(b) < 0 ? Integer.MIN_VALUE : b.compareTo(a) < 0 ? 1 : 0);
    open(defaults().toBuilder().comparator(order).build());
    put("a", "1");
    put("c", "1");
    try (Transaction transaction = db.transaction(SNAPSHOT)) {
      transaction.delete(b("a"));
      transaction.put(b("b"), b("1"));
      List<String> keys = new ArrayList<>();
      try (DBIterator cursor = transaction.iterator()) {
        for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
          keys.add(s(cursor.key()));
        }
      }
      assertThat(keys).containsExactly("c", "b");
    }
  }

  /** A reader may call any method, and what ended the transaction here was not its age. */
  @Test
  void read_whoseReaderCommits_returnsItsResult() {
    open();
    put("b", "1");
    try (Transaction transaction = db.transaction()) {
      transaction.put(b("a"), b("2"));
      String read =
          transaction.read(
              b("b"),
              value -> {
                transaction.commit();
                return value.toUtf8String();
              });
      assertThat(read).isEqualTo("1");
    }
    assertThat(get("a")).isEqualTo("2");
    Transaction closed = db.transaction();
    assertThatThrownBy(
            () ->
                closed.read(
                    b("b"),
                    value -> {
                      closed.close();
                      throw new IllegalArgumentException("of the program");
                    }))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("of the program");
  }

  @Test
  void equalKeysOfSeveralSpellings_inATransaction_keepTheLast() {
    DBComparator order =
        DBComparator.of(
            "test.WithoutCase", (a, b) -> a.toUtf8String().compareToIgnoreCase(b.toUtf8String()));
    open(defaults().toBuilder().comparator(order).build());
    try (Transaction transaction = db.transaction(SNAPSHOT)) {
      transaction.put(b("Key"), b("1"));
      transaction.put(b("KEY"), b("2"));
      try (DBIterator cursor = transaction.iterator()) {
        transaction.put(b("key"), b("3"));
        cursor.seekToFirst();
        assertThat(s(cursor.key())).isEqualTo("KEY");
        assertThat(cursor.keySlice().toUtf8String()).isEqualTo("KEY");
      }
      transaction.commit();
    }
    assertThat(contents()).isEqualTo("(key->3)");
  }

  private final AtomicBoolean failing = new AtomicBoolean();

  /** Opens a database with a comparator that throws while {@link #failing} is set. */
  private void openWithFailingComparator() {
    DBComparator order =
        DBComparator.of(
            "test.Failing",
            (a, b) -> {
              if (failing.get()) {
                throw new IllegalStateException("of the program");
              }
              return a.toUtf8String().compareTo(b.toUtf8String());
            });
    open(defaults().toBuilder().comparator(order).build());
  }

  @Test
  void iterator_whoseComparatorThrows_isClosed() {
    openWithFailingComparator();
    try (Transaction transaction = db.transaction(SNAPSHOT)) {
      transaction.put(b("b"), b("1"));
      transaction.put(b("c"), b("1"));
      failing.set(true);
      assertThatThrownBy(
              () -> transaction.iterator(ReadOptions.builder().lowerBound(b("a")).build()))
          .isInstanceOf(ComparatorException.class);
      failing.set(false);
      assertThat(db.admin().stats().views().iterators()).isZero();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void commit_afterTheComparatorThrewAtTheEndOfAVisit_stillDependsOnTheRange(boolean byAClose) {
    openWithFailingComparator();
    put("b", "1");
    put("c", "1");
    ReadOptions bounded = ReadOptions.builder().lowerBound(b("a")).build();
    try (Transaction transaction = db.transaction(SERIALIZABLE);
        DBIterator cursor = transaction.iterator(bounded)) {
      cursor.seek(b("b"));
      assertThat(s(cursor.value())).isEqualTo("1");
      failing.set(true);
      assertThatThrownBy(
              () -> {
                if (byAClose) {
                  cursor.close();
                } else {
                  cursor.seek(b("c"));
                }
              })
          .isInstanceOf(ComparatorException.class);
      failing.set(false);
      put("b", "2");
      transaction.put(b("x"), b("1"));
      assertConflict(transaction, "b");
    }
    assertThat(db.admin().stats().views().iterators()).isZero();
  }

  // transact.

  @Test
  void transact_afterConflicts_runsAgainAndReturnsTheLastResult() {
    open();
    AtomicInteger attempts = new AtomicInteger();
    String result =
        db.transact(
            transaction -> {
              int attempt = attempts.incrementAndGet();
              String value = get(transaction, "k");
              transaction.put(b("k"), b("mine"));
              if (attempt < 4) {
                put("k", "other" + attempt);
              }
              return value;
            });
    assertThat(result).isEqualTo("other3");
    assertThat(attempts).hasValue(4);
    assertThat(get("k")).isEqualTo("mine");
    assertThat(db.admin().stats().transactions())
        .isEqualTo(new DBStats.Transactions(0, 1, 3, 0, 0, 0));
    assertThat(db.<Object>transact(transaction -> null)).isNull();
  }

  @Test
  void inTransaction_afterAConflict_runsAgainAndCommits() {
    open();
    AtomicInteger attempts = new AtomicInteger();
    db.inTransaction(
        transaction -> {
          String value = get(transaction, "k");
          if (attempts.incrementAndGet() == 1) {
            put("k", "other");
          }
          transaction.put(b("k"), b(value + " and mine"));
        });
    assertThat(attempts).hasValue(2);
    assertThat(get("k")).isEqualTo("other and mine");
    TransactionOptions once = TransactionOptions.builder().maxAttempts(1).build();
    assertThatThrownBy(
            () ->
                db.inTransaction(
                    once,
                    transaction -> {
                      get(transaction, "k");
                      transaction.put(b("k"), b("mine"));
                      put("k", "other");
                    }))
        .isInstanceOf(ConflictException.class);
    assertThat(get("k")).isEqualTo("other");
  }

  @Test
  void transact_otherFailures_areNotRepeated() {
    open();
    AtomicInteger attempts = new AtomicInteger();
    assertThatThrownBy(
            () ->
                db.transact(
                    transaction -> {
                      attempts.incrementAndGet();
                      transaction.put(b("k"), b("1"));
                      throw new IllegalStateException("mine");
                    }))
        .hasMessage("mine");
    assertThatThrownBy(
            () ->
                db.transact(
                    transaction -> {
                      attempts.incrementAndGet();
                      throw new ConflictException("of another write", b("k"));
                    }))
        .hasMessage("of another write");
    assertThat(attempts).hasValue(2);
    assertThat(contents()).isEmpty();
    assertThat(db.admin().stats().transactions().open()).isZero();
  }

  @Test
  void transact_conflictInEachAttempt_throwsAfterTheLast() {
    open();
    AtomicInteger attempts = new AtomicInteger();
    TransactionOptions three = TransactionOptions.builder().maxAttempts(3).build();
    Thread.currentThread().interrupt();
    assertThatThrownBy(
            () ->
                db.transact(
                    three,
                    transaction -> {
                      put("k", "other" + attempts.incrementAndGet());
                      return transaction.put(b("k"), b("mine"));
                    }))
        .isInstanceOf(ConflictException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(attempts).hasValue(3);
    assertThat(get("k")).isEqualTo("other3");
    assertThatThrownBy(() -> TransactionOptions.builder().maxAttempts(0))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void toString_ofOptions_namesAllOfThem() {
    assertThat(TransactionOptions.SERIALIZABLE.toBuilder().writeOptions(WriteOptions.SYNC).build())
        .hasToString(
            "TransactionOptions{isolation=SERIALIZABLE, writeOptions=WriteOptions[sync=true],"
                + " maxBytes=67108864, maxAge=PT1M, maxAttempts=100}");
  }
}

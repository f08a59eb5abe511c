package dev.kv.space;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.KeyValueStore;
import dev.kv.Options;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.core.db.LeakCheck;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.ttl.TimeToLive;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;

/** Batches and transactions that are given to another view than the one they belong to. */
@ExtendWith(LeakCheck.class)
class BatchOwnershipTest {
  @TempDir Path temp;
  private DB db;

  @BeforeEach
  void open() {
    db = DB.open(temp.resolve("db"), Options.builder().createIfMissing(true).build());
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("belongs to");
  }

  private void assertEmpty() {
    assertThat(db.stream(dev.kv.ReadOptions.DEFAULT).toList()).isEmpty();
  }

  @Test
  void map_ofSpaceWithTransactionOfDatabase_writesAndReadsInSpace() {
    Space space = Space.of(db, "acc/");
    DBMap<String, String> acc = DBMap.of(space, Codecs.utf8(), Codecs.utf8());
    db.transact(
        tx -> {
          acc.set(tx, "ada", "1");
          acc.set(tx, "bob", "2");
          acc.delete(tx, "bob");
          assertThat(acc.get(tx, "ada")).isEqualTo("1");
          assertThat(acc.getForUpdate(tx, "ada")).isEqualTo("1");
          return null;
        });
    assertThat(db.get(b("acc/ada"))).isEqualTo(b("1"));
    assertThat(db.get(b("ada"))).isNull();
    assertThat(acc).containsOnlyKeys("ada");
  }

  @Test
  void map_ofSpaceWithBatch_isWrittenByDatabase() {
    DBMap<String, String> acc = DBMap.of(Space.of(db, "acc/"), Codecs.utf8(), Codecs.utf8());
    WriteBatch batch = WriteBatch.create();
    acc.set(batch, "ada", "1");
    acc.set(batch, "bob", "1");
    acc.delete(batch, "bob");
    assertRefused(() -> Space.of(db, "acc/").write(batch));
    db.write(batch);
    assertThat(acc).containsOnlyKeys("ada");
    assertThat(db.get(b("acc/ada"))).isEqualTo(b("1"));
  }

  @Test
  void map_ofTimeToLiveWithBatchAndTransaction_canBeScanned() {
    TimeToLive times = TimeToLive.of(Space.of(db, "t/"), Duration.ofDays(1));
    DBMap<String, String> map = DBMap.of(times, Codecs.utf8(), Codecs.utf8());
    WriteBatch batch = WriteBatch.create();
    map.set(batch, "a", "1");
    assertRefused(() -> times.write(batch));
    times.store().write(batch);
    db.transact(
        tx -> {
          map.set(tx, "b", "2");
          assertThat(map.get(tx, "a")).isEqualTo("1");
          return null;
        });
    times.transact(
        tx -> {
          map.set(tx, "c", "3");
          return null;
        });
    assertThat(map).containsEntry("a", "1").containsEntry("b", "2").containsEntry("c", "3");
    assertThat(db.get(b("t/b"))).isNotNull();
  }

  @Test
  void map_withTransactionOfAnotherView_refusesIt() {
    Space other = Space.of(db, "other/");
    DBMap<String, String> acc = DBMap.of(Space.of(db, "acc/"), Codecs.utf8(), Codecs.utf8());
    DBMap<String, String> all = DBMap.of(db, Codecs.utf8(), Codecs.utf8());
    try (Transaction tx = other.transaction()) {
      assertRefused(() -> acc.set(tx, "a", "1"));
      assertRefused(() -> acc.get(tx, "a"));
      assertRefused(() -> all.set(tx, "a", "1"));
      assertRefused(() -> all.delete(tx, "a"));
      assertRefused(() -> all.getForUpdate(tx, "a"));
      tx.commit();
    }
    assertEmpty();
  }

  @Test
  void write_ofBatchOfAnotherView_refusesIt() {
    Space a = Space.of(db, "a/");
    Space b = Space.of(db, "b/");
    Space inner = Space.of(a, "inner/");
    TimeToLive times = TimeToLive.of(a, Duration.ofDays(1));
    BatchOperations view = a.within(WriteBatch.create()).put(b("k"), b("v"));
    WriteBatch ofView = WriteBatch.create().append(view);
    assertRefused(() -> db.write(ofView));
    assertRefused(() -> times.write(ofView));
    assertRefused(() -> times.tryWrite(dev.kv.WriteOptions.DEFAULT, ofView));
    assertRefused(() -> b.write(ofView));
    assertRefused(() -> b.within(view));
    assertRefused(() -> inner.within(view));
    BatchOperations innerView = inner.within(WriteBatch.create()).put(b("k"), b("v"));
    assertRefused(() -> a.write(WriteBatch.create().append(innerView)));
    BatchOperations timed = times.within(WriteBatch.create()).put(b("k"), b("v"));
    assertRefused(() -> a.write(WriteBatch.create().append(timed)));
    WriteBatch ofTimes = WriteBatch.create();
    Space.of(times, "s/").within(ofTimes).put(b("k"), b("v"));
    assertRefused(() -> db.write(ofTimes));
    assertRefused(() -> a.write(ofTimes));
    assertEmpty();
    times.write(ofTimes);
    assertThat(times.get(b("s/k"))).isEqualTo(b("v"));
  }

  @Test
  void batch_ofViewsOfSeveralLayers_isWrittenInAnyOrderIfItBelongsToTheDatabase() {
    Space users = Space.of(db, "user/");
    Space inner = Space.of(db, "session/");
    TimeToLive sessions = TimeToLive.of(inner, Duration.ofDays(1));
    for (List<KeyValueStore> order :
        List.<List<KeyValueStore>>of(List.of(users, sessions), List.of(sessions, users))) {
      WriteBatch batch = WriteBatch.create();
      db.within(batch);
      for (KeyValueStore each : order) {
        each.within(batch).put(b("k"), b("v"));
      }
      batch.put(inner.whole(b("l")), sessions.encode(b("v")));
      db.write(batch);
      assertThat(users.get(b("k"))).isEqualTo(b("v"));
      assertThat(sessions.get(b("k"))).isEqualTo(b("v"));
      assertThat(sessions.get(b("l"))).isEqualTo(b("v"));
      users.drop();
      inner.drop();
    }
    WriteBatch ofInner = WriteBatch.create();
    sessions.within(ofInner);
    assertThatThrownBy(() -> users.within(ofInner))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("call within of their database");
  }

  @Test
  void within_aView_isNoBatchThatIsWritten() {
    Space a = Space.of(db, "a/");
    TimeToLive times = TimeToLive.of(db, Duration.ofDays(1));
    assertThat(a.within(WriteBatch.create())).isNotInstanceOf(WriteBatch.class);
    assertThat(times.within(WriteBatch.create())).isNotInstanceOf(WriteBatch.class);
    WriteBatch batch = WriteBatch.create();
    assertThat(db.within(batch)).isSameAs(batch);
  }

  @Test
  void write_ofOwnViewOrClearedBatch_takesIt() {
    Space a = Space.of(db, "a/");
    Space b = Space.of(db, "b/");
    WriteBatch batch = WriteBatch.create();
    BatchOperations view = a.within(batch).put(b("k"), b("v"));
    a.write(WriteBatch.create().append(view));
    assertThat(db.get(b("a/k"))).isEqualTo(b("v"));
    b.write(batch.clear().put(b("k"), b("v")));
    assertThat(db.get(b("b/k"))).isEqualTo(b("v"));
  }

  @Test
  void append_ofBatchOfAnotherView_refusesIt() {
    Space a = Space.of(db, "a/");
    TimeToLive times = TimeToLive.of(a, Duration.ofDays(1));
    WriteBatch batch = WriteBatch.create();
    BatchOperations inA = a.within(batch).put(b("k"), b("v"));
    BatchOperations inB = Space.of(db, "b/").within(WriteBatch.create()).put(b("k"), b("v"));
    BatchOperations inTimes = times.within(WriteBatch.create()).put(b("k"), b("v"));
    assertRefused(() -> inA.append(inB));
    assertRefused(() -> inA.append(batch));
    assertRefused(() -> inA.append(inTimes));
    assertRefused(() -> inTimes.append(inA));
    assertRefused(() -> inTimes.append(inB));
    assertRefused(() -> batch.append(inA));
    assertRefused(() -> batch.append(inTimes));
    db.write(batch);
    assertThat(db.stream(dev.kv.ReadOptions.DEFAULT).map(entry -> new String(entry.key())))
        .containsExactly("a/k");
  }

  @Test
  void append_toBatchThatBelongsToNothing_belongsToTheSame() {
    Space a = Space.of(db, "a/");
    BatchOperations view = a.within(WriteBatch.create()).put(b("k"), b("v"));
    WriteBatch batch = WriteBatch.create().put(b("l"), b("v")).append(view);
    assertRefused(() -> db.write(batch));
    assertRefused(() -> batch.append(Space.of(db, "b/").within(WriteBatch.create())));
    batch.append(Space.of(db, "a/").within(WriteBatch.create()).put(b("m"), b("v")));
    a.write(batch);
    assertThat(db.stream(dev.kv.ReadOptions.DEFAULT).map(entry -> new String(entry.key())))
        .containsExactly("a/k", "a/l", "a/m");
    try (DB second =
        DB.open(temp.resolve("second"), Options.builder().createIfMissing(true).build())) {
      WriteBatch ofFirst = WriteBatch.create();
      db.within(ofFirst).append(second.within(batch.clear()));
      second.write(ofFirst);
    }
  }

  @Test
  void within_transactionOfAnotherDatabase_refusesIt() {
    try (DB second =
            DB.open(temp.resolve("second"), Options.builder().createIfMissing(true).build());
        Transaction tx = second.transaction()) {
      assertRefused(() -> Space.of(db, "a/").within(tx));
      assertRefused(() -> TimeToLive.of(db, Duration.ofDays(1)).within(tx));
    }
  }
}

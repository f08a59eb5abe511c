package dev.kv.view;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.BatchOperations;
import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.CutFile;
import dev.kv.core.CutsMappedFile;
import dev.kv.env.Env;
import dev.kv.space.Space;
import dev.kv.ttl.TimeToLive;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Keys of reads, and keys and values of views, in a mapped file that was cut short. */
class MappedBuffersTest {
  private static final int ROUNDS = 200;

  @TempDir Path temp;
  private DB db;
  private ByteBuffer cut;

  @BeforeEach
  void open() throws Exception {
    db =
        DB.open(
            Path.of("/db"), Options.builder().createIfMissing(true).env(Env.inMemory()).build());
    cut = CutFile.map(temp.resolve("mapped"));
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static ByteBuffer b(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8));
  }

  private static void assertRefused(ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("cut short");
  }

  @Test
  @CutsMappedFile
  void key_ofARead_isRefused_andLaterReadsAreRight() {
    db.put(new byte[2], b("1").array());
    try (Transaction transaction = db.transaction();
        DBIterator cursor = db.iterator(ReadOptions.DEFAULT);
        DBIterator inTransaction = transaction.iterator(ReadOptions.DEFAULT)) {
      List<ThrowingCallable> calls =
          List.of(
              () -> db.get(ReadOptions.DEFAULT, cut, ByteBuffer.allocate(1)),
              () -> db.pinned(ReadOptions.DEFAULT, cut),
              () -> transaction.get(ReadOptions.DEFAULT, cut, ByteBuffer.allocate(1)),
              () -> cursor.seek(cut),
              () -> cursor.seekForPrev(cut),
              () -> inTransaction.seek(cut),
              () -> inTransaction.seekForPrev(cut));
      for (int round = 0; round < ROUNDS; round++) {
        calls.forEach(MappedBuffersTest::assertRefused);
        assertThat(db.get(ReadOptions.DEFAULT, cut.slice(0, 2), ByteBuffer.allocate(1)))
            .isEqualTo(1);
        cursor.seek(cut.slice(0, 2));
        assertThat(cursor.isValid()).isTrue();
      }
    }
  }

  @Test
  @CutsMappedFile
  void key_ofASpace_isRefused_andLaterWritesAreDone() {
    Space space = Space.of(db, "users/");
    WriteBatch batch = WriteBatch.create();
    BatchOperations view = space.within(batch);
    List<ThrowingCallable> calls =
        List.of(
            () -> space.put(WriteOptions.DEFAULT, cut, b("1")),
            () -> space.delete(WriteOptions.DEFAULT, cut),
            () -> space.get(ReadOptions.DEFAULT, cut, ByteBuffer.allocate(1)),
            () -> view.put(cut, b("1")),
            () -> view.delete(cut));
    for (int round = 0; round < ROUNDS; round++) {
      calls.forEach(MappedBuffersTest::assertRefused);
      space.put(WriteOptions.DEFAULT, cut.slice(0, 2), b("1"));
    }
    assertThat(batch.count()).isZero();
    assertThat(db.entries(ReadOptions.DEFAULT).stream().count()).isEqualTo(1);
    assertThat(space.get(new byte[2])).isEqualTo(b("1").array());
  }

  @Test
  @CutsMappedFile
  void value_ofATimeToLive_isRefused_andLaterWritesAreDone() {
    TimeToLive times = TimeToLive.of(db, Duration.ofHours(1));
    WriteBatch batch = WriteBatch.create();
    BatchOperations view = times.within(batch);
    List<ThrowingCallable> calls =
        List.of(() -> times.put(WriteOptions.DEFAULT, b("a"), cut), () -> view.put(b("a"), cut));
    for (int round = 0; round < ROUNDS; round++) {
      calls.forEach(MappedBuffersTest::assertRefused);
      times.put(WriteOptions.DEFAULT, b("b"), cut.slice(0, 2));
    }
    assertThat(batch.count()).isZero();
    assertThat(db.entries(ReadOptions.DEFAULT).stream().count()).isEqualTo(1);
    assertThat(times.get(b("b").array())).isEqualTo(new byte[2]);
  }
}

package dev.kv.streams.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.env.Env;
import java.nio.file.Path;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class CommittedOffsetsTest {
  private static final TopicPartition FIRST = new TopicPartition("changelog", 0);
  private static final TopicPartition SECOND = new TopicPartition("changelog", 258);

  private final CommittedOffsets offsets = new CommittedOffsets();
  private DB db;

  @BeforeEach
  void open() {
    Options options = Options.builder().createIfMissing(true).env(Env.inMemory()).build();
    db = DB.open(Path.of("/store"), options);
  }

  @AfterEach
  void close() {
    db.close();
  }

  private CommittedOffsets loaded() {
    CommittedOffsets found = new CommittedOffsets();
    found.load(db, "counts");
    return found;
  }

  @Test
  void offsets_thatWereWritten_areLoaded() {
    WriteBatch batch = WriteBatch.create();
    offsets.set(batch, FIRST, 7);
    offsets.set(batch, SECOND, 1L << 40);
    db.write(batch.put(new byte[] {0, 'p'}, new byte[1]));
    CommittedOffsets found = loaded();
    assertThat(found.size()).isEqualTo(2);
    assertThat(found.get(FIRST)).isEqualTo(7);
    assertThat(found.get(SECOND)).isEqualTo(1L << 40);
  }

  @Test
  void batch_holdsWhatChanges() {
    WriteBatch batch = WriteBatch.create();
    offsets.set(batch, FIRST, 1000);
    offsets.set(batch, FIRST, 1000);
    offsets.remove(batch, SECOND);
    assertThat(batch.count()).isEqualTo(1);
    offsets.set(batch, FIRST, 1001);
    assertThat(batch.count()).isEqualTo(2);
  }

  @Test
  void clear_removesAll() {
    WriteBatch batch = WriteBatch.create();
    offsets.set(batch, FIRST, 1);
    offsets.set(batch, SECOND, 2);
    db.write(batch);
    batch.clear();
    offsets.clear(batch);
    db.write(batch);
    assertThat(offsets.size()).isZero();
    assertThat(offsets.get(FIRST)).isNull();
    assertThat(loaded().size()).isZero();
  }

  @ParameterizedTest
  @CsvSource({"5, 8", "6, 7", "6, 9"})
  void load_ofADamagedOffset_isRefused(int keyLength, int valueLength) {
    byte[] key = new byte[keyLength];
    key[1] = 'o';
    db.put(key, new byte[valueLength]);
    assertThatThrownBy(this::loaded)
        .isInstanceOf(ProcessorStateException.class)
        .hasMessage("store counts has a damaged offset");
  }
}

package dev.kv.streams.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.env.Env;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.jspecify.annotations.Nullable;
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

  private static Map<TopicPartition, @Nullable Long> change(
      TopicPartition partition, @Nullable Long offset) {
    Map<TopicPartition, @Nullable Long> change = new HashMap<>();
    change.put(partition, offset);
    return change;
  }

  @Test
  void offsets_thatWereWritten_areLoaded() {
    WriteBatch batch = WriteBatch.create();
    offsets.addTo(batch, Map.of(FIRST, 7L, SECOND, 1L << 40));
    db.write(batch.put(new byte[] {0, 'p'}, new byte[1]));
    CommittedOffsets found = loaded();
    assertThat(found.size()).isEqualTo(2);
    assertThat(found.get(FIRST)).isEqualTo(7);
    assertThat(found.get(SECOND)).isEqualTo(1L << 40);
  }

  @Test
  void batch_holdsWhatChanges() {
    WriteBatch batch = WriteBatch.create();
    offsets.addTo(batch, change(FIRST, 1000L));
    offsets.apply(change(FIRST, 1000L));
    assertThat(batch.count()).isEqualTo(1);
    offsets.addTo(batch, change(FIRST, 1000L));
    offsets.addTo(batch, change(SECOND, null));
    assertThat(batch.count()).isEqualTo(1);
    offsets.addTo(batch, change(FIRST, 1001L));
    offsets.addTo(batch, change(FIRST, null));
    assertThat(batch.count()).isEqualTo(3);
  }

  @Test
  void changes_areSeenWhenTheyAreApplied() {
    offsets.addTo(WriteBatch.create(), change(FIRST, 1L));
    assertThat(offsets.get(FIRST)).isNull();
    offsets.apply(change(FIRST, 1L));
    assertThat(offsets.get(FIRST)).isEqualTo(1);
    offsets.apply(change(FIRST, null));
    assertThat(offsets.get(FIRST)).isNull();
  }

  @Test
  void removals_removeAll() {
    WriteBatch batch = WriteBatch.create();
    Map<TopicPartition, Long> both = Map.of(FIRST, 1L, SECOND, 2L);
    offsets.addTo(batch, both);
    db.write(batch);
    offsets.apply(both);
    batch.clear();
    Map<TopicPartition, @Nullable Long> removals = offsets.removals();
    offsets.addTo(batch, removals);
    db.write(batch);
    assertThat(offsets.size()).isEqualTo(2);
    offsets.apply(removals);
    assertThat(offsets.size()).isZero();
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

package dev.kv.streams;

import static java.util.Objects.requireNonNull;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.common.serialization.Serde;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.common.utils.MockTime;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.processor.CommitCallback;
import org.apache.kafka.streams.processor.StateRestoreCallback;
import org.apache.kafka.streams.processor.StateStore;
import org.apache.kafka.streams.processor.StateStoreContext;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.api.RecordMetadata;
import org.apache.kafka.streams.processor.internals.RecordBatchingStateRestoreCallback;
import org.apache.kafka.streams.processor.internals.metrics.StreamsMetricsImpl;
import org.jspecify.annotations.Nullable;

/** The context of one store in a test: a directory, a configuration, and the present record. */
final class TestContext implements StateStoreContext {
  static final String INPUT = "input";
  static final String CHANGELOG = "app-store-changelog";
  static final int PARTITION = 3;

  private final Path directory;
  private final Map<String, Object> configs = new HashMap<>();
  private final StreamsMetricsImpl metrics =
      new StreamsMetricsImpl(
          new org.apache.kafka.common.metrics.Metrics(), "client", new MockTime());
  private @Nullable RecordMetadata record;
  private @Nullable StateRestoreCallback restore;

  TestContext(Path directory) {
    this.directory = directory;
  }

  TestContext with(String key, Object value) {
    configs.put(key, value);
    return this;
  }

  TestContext exactlyOnce() {
    return with(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
  }

  /** Sets the record that is being processed. */
  void processing(long offset) {
    record =
        new RecordMetadata() {
          @Override
          public String topic() {
            return INPUT;
          }

          @Override
          public int partition() {
            return PARTITION;
          }

          @Override
          public long offset() {
            return offset;
          }
        };
  }

  /** Passes records to the store, as the changelog has them. A null value deletes. */
  void restore(Collection<ConsumerRecord<byte[], byte[]>> records) {
    ((RecordBatchingStateRestoreCallback) requireNonNull(restore)).restoreBatch(records);
  }

  /** Passes texts as keys and values to the store. */
  void restore(String... keysAndValues) {
    List<ConsumerRecord<byte[], byte[]>> records = new ArrayList<>();
    for (int i = 0; i < keysAndValues.length; i += 2) {
      byte[] key = keysAndValues[i].getBytes(StandardCharsets.UTF_8);
      byte[] value = keysAndValues[i + 1].getBytes(StandardCharsets.UTF_8);
      records.add(new ConsumerRecord<>(CHANGELOG, PARTITION, i, key, value));
    }
    restore(records);
  }

  @Override
  public String applicationId() {
    return "app";
  }

  @Override
  public TaskId taskId() {
    return new TaskId(0, PARTITION);
  }

  @Override
  public Optional<RecordMetadata> recordMetadata() {
    return Optional.ofNullable(record);
  }

  @Override
  public Serde<?> keySerde() {
    return Serdes.ByteArray();
  }

  @Override
  public Serde<?> valueSerde() {
    return Serdes.ByteArray();
  }

  @Override
  public File stateDir() {
    return directory.toFile();
  }

  @Override
  public StreamsMetricsImpl metrics() {
    return metrics;
  }

  @Override
  public void register(StateStore store, StateRestoreCallback callback) {
    restore = callback;
  }

  @Override
  public void register(StateStore store, StateRestoreCallback callback, CommitCallback onCommit) {
    restore = callback;
  }

  @Override
  public Map<String, Object> appConfigs() {
    return configs;
  }

  @Override
  public Map<String, Object> appConfigsWithPrefix(String prefix) {
    return Map.of();
  }
}

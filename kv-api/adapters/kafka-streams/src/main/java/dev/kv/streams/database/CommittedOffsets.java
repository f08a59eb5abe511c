package dev.kv.streams.database;

import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.jspecify.annotations.Nullable;

/**
 * The committed offsets of the changelogs of a store, one entry of its database for each:
 *
 * <pre>
 * 00 'o' partition topic   the offset, 8 bytes
 * </pre>
 *
 * <p>Numbers are big-endian, names are UTF-8. The caller adds changes to a batch, writes it, and
 * then applies them here, so that a write that fails changes nothing. Changes come from one thread;
 * {@link #get} and {@link #size} from any.
 */
final class CommittedOffsets {
  private static final byte[] PREFIX = {0, 'o'};

  private final Map<TopicPartition, Long> offsets = new ConcurrentHashMap<>();

  /**
   * Reads the offsets of a database.
   *
   * @param name the store, for messages
   * @throws ProcessorStateException if one is damaged
   */
  void load(DBReader db, String name) {
    try (DBIterator cursor = db.iterator(ReadOptions.withPrefix(PREFIX))) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        byte[] key = cursor.key();
        byte[] value = cursor.value();
        if (key.length < PREFIX.length + Integer.BYTES || value.length != Long.BYTES) {
          throw new ProcessorStateException("store " + name + " has a damaged offset");
        }
        ByteBuffer in = ByteBuffer.wrap(key, PREFIX.length, key.length - PREFIX.length);
        int partition = in.getInt();
        String topic = StandardCharsets.UTF_8.decode(in).toString();
        offsets.put(new TopicPartition(topic, partition), ByteBuffer.wrap(value).getLong());
      }
    }
  }

  private static byte[] key(TopicPartition partition) {
    byte[] topic = partition.topic().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(PREFIX.length + Integer.BYTES + topic.length)
        .put(PREFIX)
        .putInt(partition.partition())
        .put(topic)
        .array();
  }

  /** Returns the offset of a changelog, or null if none was committed. */
  @Nullable Long get(TopicPartition partition) {
    return offsets.get(partition);
  }

  /** Returns the number of offsets. */
  int size() {
    return offsets.size();
  }

  /** Returns the changes that remove all offsets. */
  Map<TopicPartition, @Nullable Long> removals() {
    Map<TopicPartition, @Nullable Long> changes = new HashMap<>();
    offsets.keySet().forEach(partition -> changes.put(partition, null));
    return changes;
  }

  /**
   * Adds changes to a batch, without those that would change nothing.
   *
   * @param changes the new offsets, or null for those to remove
   */
  void addTo(WriteBatch batch, Map<TopicPartition, @Nullable Long> changes) {
    changes.forEach(
        (partition, offset) -> {
          if (!Objects.equals(offset, offsets.get(partition))) {
            StoreDatabase.add(batch, key(partition), offset == null ? null : encode(offset));
          }
        });
  }

  private static byte[] encode(long offset) {
    return ByteBuffer.allocate(Long.BYTES).putLong(offset).array();
  }

  /** Applies changes that were written. */
  void apply(Map<TopicPartition, @Nullable Long> changes) {
    changes.forEach(
        (partition, offset) -> {
          if (offset == null) {
            offsets.remove(partition);
          } else {
            offsets.put(partition, offset);
          }
        });
  }
}

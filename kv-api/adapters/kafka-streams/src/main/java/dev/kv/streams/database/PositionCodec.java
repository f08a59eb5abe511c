package dev.kv.streams.database;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.kafka.streams.errors.ProcessorStateException;
import org.apache.kafka.streams.query.Position;

/**
 * The Position of a store as bytes:
 *
 * <pre>
 * position  = version topic*
 * version   = 1                                    one byte
 * topic     = length name count (partition offset)*
 * length    = number of bytes of the name          int
 * count     = number of partitions                 int
 * partition = int
 * offset    = long
 * </pre>
 *
 * Numbers are big-endian, names are UTF-8.
 */
final class PositionCodec {
  private static final byte VERSION = 1;

  private PositionCodec() {}

  static byte[] encode(Position position) {
    // In the order of the Position, so that equal ones have equal bytes.
    Map<byte[], Map<Integer, Long>> topics = new LinkedHashMap<>();
    int size = 1;
    for (String topic : position.getTopics()) {
      byte[] name = topic.getBytes(StandardCharsets.UTF_8);
      Map<Integer, Long> partitions = Map.copyOf(position.getPartitionPositions(topic));
      size += 2 * Integer.BYTES + name.length;
      size += partitions.size() * (Integer.BYTES + Long.BYTES);
      topics.put(name, partitions);
    }
    ByteBuffer out = ByteBuffer.allocate(size).put(VERSION);
    topics.forEach(
        (name, partitions) -> {
          out.putInt(name.length).put(name).putInt(partitions.size());
          partitions.forEach((partition, offset) -> out.putInt(partition).putLong(offset));
        });
    return out.array();
  }

  static Position decode(byte[] bytes) {
    Position position = Position.emptyPosition();
    ByteBuffer in = ByteBuffer.wrap(bytes);
    try {
      byte version = in.get();
      if (version != VERSION) {
        throw new ProcessorStateException("the Position has the unknown version " + version);
      }
      while (in.hasRemaining()) {
        readTopic(in, position);
      }
    } catch (BufferUnderflowException e) {
      throw new ProcessorStateException("the Position is cut off", e);
    }
    return position;
  }

  private static void readTopic(ByteBuffer in, Position into) {
    byte[] name = new byte[checked(in, in.getInt(), 1)];
    in.get(name);
    String topic = new String(name, StandardCharsets.UTF_8);
    int count = checked(in, in.getInt(), Integer.BYTES + Long.BYTES);
    for (int i = 0; i < count; i++) {
      int partition = in.getInt();
      into.withComponent(topic, partition, in.getLong());
    }
  }

  /** Returns a count of items of a size, if there are as many bytes left. */
  private static int checked(ByteBuffer in, int count, int size) {
    if (count < 0 || (long) count * size > in.remaining()) {
      throw new ProcessorStateException(
          "the Position claims " + count + " items, and " + in.remaining() + " bytes are left");
    }
    return count;
  }
}

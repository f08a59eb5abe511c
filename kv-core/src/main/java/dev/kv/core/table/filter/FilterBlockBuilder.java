package dev.kv.core.table.filter;

import dev.kv.FilterPolicy;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * Builds the filter block of a table, which has a filter for every {@code 1 << base} bytes of the
 * file.
 *
 * <pre>
 * filter block := filter*, (offset of each filter) fixed32*, offset of that array fixed32, base 1
 *                 byte
 * </pre>
 *
 * The calls are {@code (startBlock addKeys*)* finish}. A base of 31 gives one filter for the table.
 */
public final class FilterBlockBuilder {
  private static final byte[] NO_FILTER = {};

  private final int baseLog;
  private final ByteArrayOutputStream result = new ByteArrayOutputStream();
  private final List<Integer> offsets = new ArrayList<>();

  /** The keys since the last filter. */
  private final FilterKeys keys;

  /** Creates the builder; {@code baseLog} is 11 in C++ LevelDB. */
  public FilterBlockBuilder(FilterPolicy policy, int baseLog) {
    this.baseLog = baseLog;
    keys = new FilterKeys(policy);
  }

  /** Begins the data block at {@code offset} of the file. */
  public void startBlock(long offset) {
    long index = offset >>> baseLog;
    while (index > offsets.size()) {
      generate();
    }
  }

  /** Adds the user keys of the current block. */
  public void addKeys(FilterKeys block) {
    keys.addAll(block);
  }

  /** Returns the block. */
  public byte[] finish() {
    if (!keys.isEmpty()) {
      generate();
    }
    int arrayOffset = result.size();
    ByteBuffer array = ByteBuffer.allocate(Integer.BYTES * (offsets.size() + 1) + 1);
    array.order(ByteOrder.LITTLE_ENDIAN);
    offsets.forEach(array::putInt);
    array.putInt(arrayOffset).put((byte) baseLog);
    result.writeBytes(array.array());
    return result.toByteArray();
  }

  private void generate() {
    byte[] filter = keys.isEmpty() ? NO_FILTER : keys.filter(); // code of the program, may throw
    offsets.add(result.size());
    result.writeBytes(filter);
    keys.clear();
  }
}

package dev.kv.core.table.format;

import dev.kv.core.codec.BlockCompression;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.memory.Undo;
import dev.kv.core.table.block.BlockBuilder;

/**
 * The reusable buffers for building tables of one format. A job takes one from a {@link
 * BuildBufferPool} and builds its tables with it, one after the other. Closing frees the memory.
 */
public final class BuildBuffers implements AutoCloseable {
  private static final int OUTPUT_BYTES = 256 << 10;
  private static final int SCRATCH_BYTES = 256;

  private final int restartInterval;
  private final boolean nativeSnappy;
  private final BlockBuilder data;
  private final BlockBuilder index;
  private final OffHeapBuffer output;
  private final OffHeapBuffer scratch;
  private final BlockCompression compression;
  private final MaskedCrc32c crc = new MaskedCrc32c();

  /**
   * Creates the buffers for tables of {@code format}. If this throws, no memory stays allocated.
   */
  public BuildBuffers(TableFormat format, OffHeapBudget budget) {
    restartInterval = format.restartInterval();
    nativeSnappy = format.nativeSnappy();
    data = new BlockBuilder(format.restartInterval(), budget);
    index = new BlockBuilder(1, budget);
    output = new OffHeapBuffer(budget, 0);
    scratch = new OffHeapBuffer(budget, 0);
    compression = new BlockCompression(format.nativeSnappy());
    try (Undo undo = new Undo(this::close)) {
      data.reserve();
      index.reserve();
      output.ensureCapacity(OUTPUT_BYTES);
      scratch.ensureCapacity(SCRATCH_BYTES);
      undo.cancel();
    }
  }

  /** Returns true if tables of {@code format} can be built with these buffers. */
  boolean fit(TableFormat format) {
    return restartInterval == format.restartInterval() && nativeSnappy == format.nativeSnappy();
  }

  /** Returns the size of all buffers. */
  long bytes() {
    return data.capacity()
        + index.capacity()
        + output.buffer().capacity()
        + scratch.buffer().capacity();
  }

  BlockBuilder data() {
    return data;
  }

  BlockBuilder index() {
    return index;
  }

  OffHeapBuffer output() {
    return output;
  }

  OffHeapBuffer scratch() {
    return scratch;
  }

  BlockCompression compression() {
    return compression;
  }

  MaskedCrc32c crc() {
    return crc;
  }

  @Override
  public void close() {
    data.close();
    index.close();
    output.close();
    scratch.close();
    compression.close();
  }
}

package dev.kv.core.env;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.util.concurrent.atomic.AtomicInteger;

/** The mapper of this runtime, which counts the mappings that have not been unmapped. */
final class CountingMapper extends Mapper {
  private final Mapper target = requireNonNull(Mapper.forRuntime());
  private final AtomicInteger live = new AtomicInteger();

  @Override
  Mapping map(FileChannel channel, MapMode mode, long position, long size) throws IOException {
    Mapping mapping = target.map(channel, mode, position, size);
    live.incrementAndGet();
    return new Mapping(
        mapping.buffer(),
        () -> {
          mapping.unmap();
          live.decrementAndGet();
        });
  }

  /** Returns the number of mappings that have not been unmapped. */
  int live() {
    return live.get();
  }
}

package dev.kv.core.env;

import static java.util.Objects.requireNonNull;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * The mapper of this runtime, which counts the mappings that have not been unmapped. All files are
 * on a file system of one type, whatever they are on.
 */
class CountingMapper extends Mapper {
  private final Mapper target = requireNonNull(Mapper.forRuntime());
  private final AtomicInteger live = new AtomicInteger();
  private final String fileSystemType;

  CountingMapper() {
    this("ext4");
  }

  CountingMapper(String fileSystemType) {
    this.fileSystemType = fileSystemType;
  }

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

  @Override
  String fileSystemType(Path directory) throws IOException {
    return fileSystemType;
  }

  /** Returns the number of mappings that have not been unmapped. */
  int live() {
    return live.get();
  }
}

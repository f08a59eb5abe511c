package dev.kv.core.table.format;

import dev.kv.CompressionType;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import org.jspecify.annotations.Nullable;

/**
 * How a new table is laid out.
 *
 * @param blockSize the bytes of a data block before compression after which another begins
 * @param restartInterval the entries of a data block from one restart point to the next
 * @param compression how blocks are compressed if that saves an eighth
 * @param zstdLevel the level for {@link CompressionType#ZSTD}
 * @param nativeSnappy whether snappy-java may be used
 * @param filterPolicy what makes the filter, or null for none
 * @param filterBaseLg the base-2 logarithm of the bytes of file that one filter covers
 */
public record TableFormat(
    int blockSize,
    int restartInterval,
    CompressionType compression,
    int zstdLevel,
    boolean nativeSnappy,
    @Nullable FilterPolicy filterPolicy,
    int filterBaseLg) {
  /**
   * A base that makes one filter of a whole table; LevelDB takes the base from the filter block.
   */
  public static final int WHOLE_TABLE = 31;

  /** The base that LevelDB writes: a filter for every 2 KiB. */
  public static final int LEVELDB_BASE = 11;

  /** Returns the layout that {@code options} ask for. */
  public static TableFormat of(Options options) {
    return new TableFormat(
        options.blockSize(),
        options.blockRestartInterval(),
        options.compression(),
        options.zstdCompressionLevel(),
        options.nativeSnappy(),
        options.filterPolicy(),
        WHOLE_TABLE);
  }
}

package dev.kv.core.table.format;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.options.CompressionType;
import org.jspecify.annotations.Nullable;

/**
 * The format parameters of a new table: block size, compression and filter.
 *
 * @param blockSize the uncompressed size in bytes after which a data block ends
 * @param restartInterval the number of entries of a data block from one restart point to the next
 * @param compression the compression of blocks, used if it saves at least an eighth
 * @param zstdLevel the level for {@link CompressionType#ZSTD}
 * @param nativeSnappy true if snappy-java may be used
 * @param filterPolicy creates the filter, or null for none
 * @param filterBaseLg the base-2 logarithm of the bytes of file that one filter covers
 * @param properties true if a table of internal keys gets a block of {@link TableProperties}
 */
public record TableFormat(
    int blockSize,
    int restartInterval,
    CompressionType compression,
    int zstdLevel,
    boolean nativeSnappy,
    @Nullable FilterPolicy filterPolicy,
    int filterBaseLg,
    boolean properties) {
  /**
   * A base that results in one filter for the whole table. LevelDB reads the base from the filter
   * block.
   */
  public static final int WHOLE_TABLE = 31;

  /** Returns the format that {@code options} specify. */
  public static TableFormat of(Options options) {
    return new TableFormat(
        (int) options.blockSize(),
        options.blockRestartInterval(),
        options.compression(),
        options.zstdCompressionLevel(),
        options.tables().nativeSnappy(),
        options.filterPolicy(),
        WHOLE_TABLE,
        true);
  }
}

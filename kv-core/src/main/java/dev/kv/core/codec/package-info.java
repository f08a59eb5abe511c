/**
 * Bytes and numbers: LevelDB's integers, its checksum, and the compression of blocks.
 *
 * <p>{@link dev.kv.core.codec.Varint} codes integers, {@link dev.kv.core.codec.MaskedCrc32c} is the
 * checksum, {@link dev.kv.core.codec.BlockCompression} compresses blocks with snappy (native, or
 * {@link dev.kv.core.codec.JavaSnappy} if that does not load) and zstd, and decompresses those of
 * Mojang's fork of LevelDB too ({@code DeflateCodec}). Every decoder checks each length before it
 * uses it. Imports the API and {@code logging}.
 */
@NullMarked
package dev.kv.core.codec;

import org.jspecify.annotations.NullMarked;

/**
 * The batch in LevelDB's encoding. Programs fill an {@link dev.kv.core.batch.EncodedBatch}; a
 * {@link dev.kv.core.batch.BatchCursor} reads the operations of a batch in a direct buffer.
 *
 * <p>Called by the commit pipeline, recovery and dump; imports {@code key}, {@code codec}, the API,
 * and of {@code env} what finds faults of mapped buffers.
 */
@NullMarked
package dev.kv.core.batch;

import org.jspecify.annotations.NullMarked;

/**
 * The batch in LevelDB's encoding. Programs fill an {@link dev.kv.core.batch.EncodedBatch}; a
 * {@link dev.kv.core.batch.BatchCursor} reads the operations of a batch in a direct buffer.
 *
 * <p>Called by the commit pipeline, recovery and dump; imports {@code key}, {@code codec} and the
 * API.
 */
@NullMarked
package dev.kv.core.batch;

import org.jspecify.annotations.NullMarked;

/**
 * The batch in LevelDB's encoding: {@link dev.kv.core.batch.EncodedBatch} is what programs fill,
 * {@link dev.kv.core.batch.BatchCursor} walks the operations of one that lies in a direct buffer.
 *
 * <p>Called by the commit pipeline, recovery and dump; imports {@code key}, {@code codec} and the
 * API.
 */
@NullMarked
package dev.kv.core.batch;

import org.jspecify.annotations.NullMarked;

/**
 * The batch in LevelDB's encoding. Programs fill an {@link dev.kv.core.batch.EncodedBatch}; a
 * {@link dev.kv.core.batch.BatchCursor} reads the operations of a batch in a direct buffer.
 *
 * <p>Called by the commit pipeline, the memtable, transactions, recovery, repair, dump and the
 * change feed; imports {@code key}, {@code codec}, {@code memory} and the API, with what finds
 * faults of mapped buffers.
 */
@NullMarked
package dev.kv.core.batch;

import org.jspecify.annotations.NullMarked;

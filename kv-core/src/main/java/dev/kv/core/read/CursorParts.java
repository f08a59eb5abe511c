package dev.kv.core.read;

import dev.kv.core.iterator.TombstoneSkipIndex;
import org.jspecify.annotations.Nullable;

/**
 * What the cursors of a database share.
 *
 * @param sampler receives a sample of the keys read; null for no sampling
 * @param skips the ranges that seeks skip
 * @param database the name for messages
 */
record CursorParts(@Nullable ReadSampler sampler, TombstoneSkipIndex skips, String database) {}

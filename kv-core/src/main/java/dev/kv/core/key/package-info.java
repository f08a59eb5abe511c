/**
 * Keys: the user keys that programs write, and the internal keys that the engine stores.
 *
 * <p>An {@link dev.kv.core.key.InternalKey} is a user key and a tag of sequence number and {@link
 * dev.kv.core.key.ValueKind}. {@link dev.kv.core.key.UserKeyComparator} orders user keys with the
 * program's comparator; {@link dev.kv.core.key.InternalKeyComparator} orders internal keys by user
 * key and then from the newest to the oldest. A {@link dev.kv.core.key.LookupKey} is a point read's
 * target; a {@link dev.kv.core.key.KeyBuffer} a copy of a key that stays valid when a cursor moves;
 * {@link dev.kv.core.key.KeyBounds} the range of keys that an iterator returns.
 *
 * <p>Called by everything from filters upwards; imports {@code memory} and the API.
 */
@NullMarked
package dev.kv.core.key;

import org.jspecify.annotations.NullMarked;

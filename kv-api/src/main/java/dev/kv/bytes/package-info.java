/** Bytes of keys and values, and the orders of keys. */
@NullMarked
package dev.kv.bytes;

import org.jspecify.annotations.NullMarked;

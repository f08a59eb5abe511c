/**
 * What the views of a store have in common: {@code dev.kv.space} changes the keys, and {@code
 * dev.kv.ttl} the values, of batches, cursors and loads that are passed on. Not exported.
 */
@NullMarked
package dev.kv.view;

import org.jspecify.annotations.NullMarked;

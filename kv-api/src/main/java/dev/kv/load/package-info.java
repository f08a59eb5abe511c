/** Bulk loads: many entries as tables instead of one by one. */
@NullMarked
package dev.kv.load;

import org.jspecify.annotations.NullMarked;

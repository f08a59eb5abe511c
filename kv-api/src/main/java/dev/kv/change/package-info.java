/** The change feed: what was written to a database, in the order of the writes. */
@NullMarked
package dev.kv.change;

import org.jspecify.annotations.NullMarked;

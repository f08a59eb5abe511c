/** The exceptions of kv, which extend {@link dev.kv.errors.DBException}. */
@NullMarked
package dev.kv.errors;

import org.jspecify.annotations.NullMarked;

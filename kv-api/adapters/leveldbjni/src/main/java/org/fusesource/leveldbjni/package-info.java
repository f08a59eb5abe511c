/**
 * kv in the place of leveldbjni, under the names that programs hard-code: put this artifact where
 * leveldbjni was, and nothing else changes.
 *
 * <p>{@link org.fusesource.leveldbjni.JniDBFactory} is all that is here; databases are {@code
 * dev.kv.iq80}'s. It refuses to open anything if leveldbjni is on the class path too.
 */
@NullMarked
package org.fusesource.leveldbjni;

import org.jspecify.annotations.NullMarked;

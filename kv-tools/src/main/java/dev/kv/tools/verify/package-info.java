/**
 * The command verify: {@link dev.kv.tools.verify.Verifier} checks a whole database, {@link
 * dev.kv.tools.verify.FileVerifier} single files, and {@link dev.kv.tools.verify.OpenCheck} asks
 * the engine whether an open accepts the database. The commands dump and stats use them too.
 */
@NullMarked
package dev.kv.tools.verify;

import org.jspecify.annotations.NullMarked;

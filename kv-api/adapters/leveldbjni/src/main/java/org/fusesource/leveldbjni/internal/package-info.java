/**
 * The internal classes of leveldbjni that programs name all the same: {@link
 * org.fusesource.leveldbjni.internal.JniDB} in casts, {@link
 * org.fusesource.leveldbjni.internal.NativeDB.DBException} in catch clauses. Nothing here is
 * native.
 */
@NullMarked
package org.fusesource.leveldbjni.internal;

import org.jspecify.annotations.NullMarked;

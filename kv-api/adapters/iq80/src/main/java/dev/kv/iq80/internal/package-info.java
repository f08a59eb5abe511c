/**
 * What the adapters with other projects' class names share. Not for programs.
 *
 * <p>{@link dev.kv.iq80.internal.ReplacedJar} looks for the jar that such an adapter replaces.
 */
@NullMarked
package dev.kv.iq80.internal;

import org.jspecify.annotations.NullMarked;

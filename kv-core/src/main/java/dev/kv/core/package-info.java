/**
 * The root of the engine's packages. It holds no classes; each package below says what it does and
 * what it may import.
 */
@NullMarked
package dev.kv.core;

import org.jspecify.annotations.NullMarked;

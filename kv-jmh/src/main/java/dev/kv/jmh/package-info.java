/** Benchmarks of kv and of its peers. */
@NullMarked
package dev.kv.jmh;

import org.jspecify.annotations.NullMarked;

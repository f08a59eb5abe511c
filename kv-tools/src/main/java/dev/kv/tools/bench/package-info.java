/**
 * The commands that fill their own database and print rates: bench, and demo, which checks every
 * value that it reads.
 */
@NullMarked
package dev.kv.tools.bench;

import org.jspecify.annotations.NullMarked;

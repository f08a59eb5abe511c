/**
 * The commands that fill a database of their own and print rates: bench, and demo, which checks all
 * that it reads.
 */
@NullMarked
package dev.kv.tools.bench;

import org.jspecify.annotations.NullMarked;

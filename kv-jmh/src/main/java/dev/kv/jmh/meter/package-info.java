/**
 * What is measured besides the time of operations: memory, the machine itself, and flame graphs of
 * where the time went.
 */
@NullMarked
package dev.kv.jmh.meter;

import org.jspecify.annotations.NullMarked;

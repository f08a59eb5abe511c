/**
 * C++ LevelDB itself as the referee, in both directions: an old one in this process, a current one
 * in python.
 */
@NullMarked
package dev.kv.core.peer;

import org.jspecify.annotations.NullMarked;

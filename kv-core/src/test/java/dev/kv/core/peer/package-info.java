/**
 * Compares kv with C++ LevelDB in both directions: with an old one in this process (leveldbjni),
 * and with a current one in Python (plyvel).
 */
@NullMarked
package dev.kv.core.peer;

import org.jspecify.annotations.NullMarked;

/**
 * The commands that read, write and compare entries: get, put, delete, scan, count, batch and diff.
 */
@NullMarked
package dev.kv.tools.entries;

import org.jspecify.annotations.NullMarked;

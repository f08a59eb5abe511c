/**
 * The command dump, and the scan of files that are not opened as a database: logs, MANIFESTs and
 * tables taken apart.
 */
@NullMarked
package dev.kv.tools.dump;

import org.jspecify.annotations.NullMarked;

/** Stand-alone tables: files of sorted entries without a database. */
@NullMarked
package dev.kv.table;

import org.jspecify.annotations.NullMarked;

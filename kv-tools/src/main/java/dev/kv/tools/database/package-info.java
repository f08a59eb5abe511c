/**
 * The database that a command works on: the arguments that name it, select a range of its keys, or
 * say how its tables are written, and what its files tell before it is opened.
 */
@NullMarked
package dev.kv.tools.database;

import org.jspecify.annotations.NullMarked;

/**
 * The database that a command is told to work on: the arguments that name it, a range of its keys
 * or what its tables are to be like, and what its files tell before it is opened.
 */
@NullMarked
package dev.kv.tools.database;

import org.jspecify.annotations.NullMarked;

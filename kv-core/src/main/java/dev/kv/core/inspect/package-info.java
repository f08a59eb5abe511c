/**
 * What is read from the files of a database without opening it: the names of files ({@link
 * dev.kv.core.inspect.DatabaseFile}), the records of a log or MANIFEST ({@link
 * dev.kv.core.inspect.RecordReader}), the parts of a table ({@link
 * dev.kv.core.inspect.TableContents}) and the keys in them; and what tells a database from files of
 * other programs ({@link dev.kv.core.inspect.ForeignFiles}). If the index of a table is lost,
 * {@code BlockScanner} finds blocks by their checksums.
 *
 * <p>Called by kv-tools and by the repair, load and db packages. The module exports this package to
 * its tools, and no other one, so no type of another package of it is in the signatures.
 */
@NullMarked
package dev.kv.core.inspect;

import org.jspecify.annotations.NullMarked;

/** The command verify: every checksum of a database's files, and what must hold between them. */
@NullMarked
package dev.kv.tools.verify;

import org.jspecify.annotations.NullMarked;

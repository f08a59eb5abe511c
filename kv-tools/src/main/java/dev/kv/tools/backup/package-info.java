/** The command backup, and its commands create, list, verify, restore and prune. */
@NullMarked
package dev.kv.tools.backup;

import org.jspecify.annotations.NullMarked;

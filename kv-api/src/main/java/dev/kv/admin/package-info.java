/** What operators call: flush, compaction, checkpoints, properties and statistics. */
@NullMarked
package dev.kv.admin;

import org.jspecify.annotations.NullMarked;

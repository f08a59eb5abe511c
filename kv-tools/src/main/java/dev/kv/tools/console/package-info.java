/** What every command shares: the standard streams, messages, failures, progress and Ctrl-C. */
@NullMarked
package dev.kv.tools.console;

import org.jspecify.annotations.NullMarked;

/**
 * What every command shares towards the one who runs it: the standard streams, messages, failures
 * and progress.
 */
@NullMarked
package dev.kv.tools.console;

import org.jspecify.annotations.NullMarked;

/**
 * The kv command line: {@link dev.kv.tools.Main} runs it, {@link dev.kv.tools.Subcommands} knows
 * every command by its name.
 */
@NullMarked
package dev.kv.tools;

import org.jspecify.annotations.NullMarked;

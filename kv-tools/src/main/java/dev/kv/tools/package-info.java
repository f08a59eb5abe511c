/**
 * The kv command line: {@link dev.kv.tools.Main} runs it, {@link dev.kv.tools.Subcommands} knows
 * every command by its name. The packages below hold the commands and what they share.
 */
@NullMarked
package dev.kv.tools;

import org.jspecify.annotations.NullMarked;

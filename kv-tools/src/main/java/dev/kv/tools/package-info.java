/** The kv command line: one class per subcommand, {@link dev.kv.tools.Main} to find them. */
@NullMarked
package dev.kv.tools;

import org.jspecify.annotations.NullMarked;

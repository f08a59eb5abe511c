/** The command shell: reads lines from a prompt, each of them a command on one database. */
@NullMarked
package dev.kv.tools.shell;

import org.jspecify.annotations.NullMarked;

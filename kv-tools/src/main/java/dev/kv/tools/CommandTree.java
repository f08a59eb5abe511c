package dev.kv.tools;

import dev.kv.tools.shell.Commands;
import org.jspecify.annotations.Nullable;

/** The command line as the shell runs it. */
final class CommandTree implements Commands {
  @Override
  public int run(String... args) {
    return Main.run(args);
  }

  @Override
  public @Nullable Object create(String name) {
    return Subcommands.create(name);
  }
}

package dev.kv.tools;

import dev.kv.tools.shell.Commands;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands as the shell runs them. */
final class CommandTree implements Commands {
  @Override
  public int run(String name, String... args) {
    return Main.runInShell(name, args);
  }

  @Override
  public List<String> near(String unknown) {
    return Subcommands.near(unknown);
  }

  @Override
  public @Nullable Object create(String name) {
    return Subcommands.create(name);
  }
}

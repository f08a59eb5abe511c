package dev.kv.tools.shell;

import org.jspecify.annotations.Nullable;

/** The command line that the shell runs its lines on. */
public interface Commands {
  /** Runs one command and returns its exit code. */
  int run(String... args);

  /** Returns a new command of that name, or null if there is none. */
  @Nullable Object create(String name);
}

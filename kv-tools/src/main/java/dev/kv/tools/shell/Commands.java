package dev.kv.tools.shell;

import java.util.List;
import org.jspecify.annotations.Nullable;

/** The commands that the lines of the shell name. */
public interface Commands {
  /** Runs one command and returns its exit code. */
  int run(String name, String... args);

  /** Returns the names of commands that are likely meant by the name of an unknown one. */
  List<String> near(String unknown);

  /** Returns a new command of that name, or null if there is none. */
  @Nullable Object create(String name);
}

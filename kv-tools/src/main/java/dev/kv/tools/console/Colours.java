package dev.kv.tools.console;

import org.jspecify.annotations.Nullable;

/**
 * Colours for what is wrong. Only a terminal gets them, and only if the variable {@code NO_COLOR}
 * is not set.
 */
public final class Colours {
  private static final String RED = "\u001b[31m";
  private static final String PLAIN = "\u001b[0m";

  private Colours() {}

  /** Returns a message for standard error, in red if that is a terminal with colours. */
  public static String wrong(String message) {
    return coloured(message, StandardStreams.ERROR);
  }

  /** Returns a line for standard output, in red if that is a terminal with colours. */
  public static String wrongOutput(String line) {
    return coloured(line, StandardStreams.OUTPUT);
  }

  private static String coloured(String text, int descriptor) {
    return isColoured(System.getenv("NO_COLOR"), System.getenv("TERM"))
            && StandardStreams.isTerminal(descriptor)
        ? RED + text + PLAIN
        : text;
  }

  /** Returns true if these variables of the environment allow colours. */
  static boolean isColoured(@Nullable String noColor, @Nullable String terminal) {
    return (noColor == null || noColor.isEmpty()) && terminal != null && !terminal.equals("dumb");
  }
}

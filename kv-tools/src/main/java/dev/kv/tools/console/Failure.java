package dev.kv.tools.console;

/** A failure that a command tells in one line: its message is meant for the one who runs it. */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates a failure that is told as {@code message}. */
  public Failure(String message) {
    super(message);
  }
}

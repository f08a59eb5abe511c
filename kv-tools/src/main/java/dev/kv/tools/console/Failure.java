package dev.kv.tools.console;

/** A failure of a command. Its message is one line for the user. */
public final class Failure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** Creates a failure with the line that the user sees; an empty one is not printed. */
  public Failure(String message) {
    super(message);
  }

  /** Creates such a failure with the cause, which a trace shows. */
  public Failure(String message, Throwable cause) {
    super(message, cause);
  }
}

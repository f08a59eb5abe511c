package dev.kv.core.log;

import java.io.IOException;
import java.nio.file.Path;

/**
 * Thrown by an append if the log cannot be extended, before anything of the record is written. The
 * log can still be used.
 */
public final class NoRoomInLogException extends IOException {
  private static final long serialVersionUID = 1L;

  /** Creates the exception with the reason why there is no room. */
  NoRoomInLogException(Path log, Throwable cause) {
    super("no room in " + log + ": " + cause.getMessage(), cause);
  }
}

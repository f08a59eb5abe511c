package dev.kv.core.manifest;

import java.io.IOException;

/**
 * Thrown if an edit is certainly not logged: what has failed changed nothing that a recovery reads,
 * and was not a sync. So the edit may be tried again.
 */
final class NotLoggedException extends IOException {
  private static final long serialVersionUID = 1;

  NotLoggedException(IOException cause) {
    super(cause);
  }
}

package dev.kv.core.env;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * The open descriptors or mappings, so that a leak can be counted and reported. With the system
 * property {@code kv.invariants} the report includes the stack trace of the open. Thread-safe.
 */
final class OpenFiles {
  private static final boolean WITH_STACKS = Boolean.getBoolean("kv.invariants");

  private final Map<Object, Opening> open = new ConcurrentHashMap<>();

  /** Records that {@code resource}, which is compared by identity, was opened on {@code file}. */
  void opened(Object resource, Path file) {
    open.put(resource, new Opening(file, WITH_STACKS ? new Throwable() : null));
  }

  /** Records that {@code resource} was closed; a second call does nothing. */
  void closed(Object resource) {
    open.remove(resource);
  }

  int count() {
    return open.size();
  }

  /** Returns a line or a stack trace for each open resource. */
  List<String> describe() {
    List<String> lines = new ArrayList<>();
    for (Map.Entry<Object, Opening> entry : open.entrySet()) {
      lines.add(entry.getKey().getClass().getSimpleName() + " " + entry.getValue());
    }
    return lines;
  }

  private record Opening(Path file, @Nullable Throwable at) {
    @Override
    public String toString() {
      StringBuilder text = new StringBuilder(file.toString());
      if (at != null) {
        for (StackTraceElement frame : at.getStackTrace()) {
          text.append("\n    at ").append(frame);
        }
      }
      return text.toString();
    }
  }
}

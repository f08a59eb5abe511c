package dev.kv.tools.verify;

import java.util.Collection;
import java.util.Comparator;

/** What the findings of a check say of a file or a database as a whole. */
public enum Verdict {
  /** Nothing but notes was found. */
  WHOLE,
  /** Something is damaged. */
  DAMAGED,
  /** Something is of another format, which kv does not read and cannot repair. */
  UNSUPPORTED;

  /** Returns the verdict of the gravest finding. */
  public static Verdict of(Collection<Finding> findings) {
    return findings.stream()
        .map(finding -> of(finding.kind()))
        .max(Comparator.naturalOrder())
        .orElse(WHOLE);
  }

  private static Verdict of(Finding.Kind kind) {
    return switch (kind) {
      case NOTE -> WHOLE;
      case DAMAGED -> DAMAGED;
      case UNSUPPORTED -> UNSUPPORTED;
    };
  }
}

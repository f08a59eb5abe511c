package dev.kv.core.compaction;

import org.jspecify.annotations.Nullable;

/**
 * What a program's filter has done in one compaction.
 *
 * @param dropped the number of entries that it dropped
 * @param replaced the number of entries that got another value
 * @param failure the exception after which all entries were kept, or null
 */
public record FilterResult(long dropped, long replaced, @Nullable Throwable failure) {
  /** The result of a compaction without a filter. */
  static final FilterResult NONE = new FilterResult(0, 0, null);

  /** Returns true if what readers see has changed. */
  public boolean hasChanges() {
    return dropped > 0 || replaced > 0;
  }
}

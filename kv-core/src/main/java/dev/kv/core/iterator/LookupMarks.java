package dev.kv.core.iterator;

/** A cursor over entries that lookups mark when they find them. */
public interface LookupMarks {
  /** Returns true if a lookup has found the current entry. */
  boolean wasFound();
}

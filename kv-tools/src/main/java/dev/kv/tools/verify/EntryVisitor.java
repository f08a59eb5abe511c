package dev.kv.tools.verify;

/** Receives the entries of tables. */
@FunctionalInterface
public interface EntryVisitor {
  /** Receives one entry with its internal key. */
  void entry(byte[] internalKey, byte[] value);
}

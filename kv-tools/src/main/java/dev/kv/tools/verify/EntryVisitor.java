package dev.kv.tools.verify;

/** Sees the entries of tables that are whole. */
@FunctionalInterface
public interface EntryVisitor {
  /** Takes one entry with its internal key. */
  void entry(byte[] internalKey, byte[] value);
}

package dev.kv.core.env;

import java.nio.ByteBuffer;

/**
 * The bytes of a file in a mapping, for a search without a copy. Whoever reads them obeys these
 * rules; otherwise the process crashes, or gets bytes that are not in the file.
 *
 * <ol>
 *   <li>Before the first read it makes sure that the file stays open, and it keeps it open until
 *       after the last one. On Java 17 nothing checks a read of unmapped memory.
 *   <li>No buffer, and no view of one, goes to code outside the engine, or to another thread.
 *   <li>It reads single values and makes bulk copies. Both continue after a fault, which is a read
 *       beyond the end of a file that was cut short. The compiled routines for checksums,
 *       mismatches and comparisons of arrays do not continue: the JVM ends.
 *   <li>A read that faults gives arbitrary bytes. Therefore it checks afterwards, by a guarded
 *       copy, that the bytes are still there, and only then uses what it has found.
 * </ol>
 */
public interface MappedBytes {
  /** Returns a new view of the whole file, little-endian and read-only. */
  ByteBuffer mapping();

  /** Absorbs the error that is pending for this thread after a fault, if there is one. */
  void absorbFault();

  /**
   * Absorbs the error of a fault after guarded copies that show none. On most processors there is
   * none, and this costs nothing.
   *
   * @return true if there was one
   */
  boolean absorbMissedFault();
}

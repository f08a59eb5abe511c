package dev.kv.core.manifest;

import dev.kv.core.version.Version;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The state that a MANIFEST describes, with all its edits applied.
 *
 * @param file the file that was read
 * @param version the version, owned by the caller
 * @param logNumber the oldest log that is not completely in tables
 * @param previousLogNumber an older log that is not completely in tables, or 0
 * @param nextFileNumber a number above all used file numbers
 * @param lastSequence at least the last sequence number in tables
 * @param compactPointers for each level, the key after which its next compaction begins, or null
 */
record RecoveredManifest(
    File file,
    Version version,
    long logNumber,
    long previousLogNumber,
    long nextFileNumber,
    long lastSequence,
    List<byte @Nullable []> compactPointers) {

  /**
   * The file of a MANIFEST.
   *
   * @param name its name
   * @param number the number in its name
   * @param length its length in bytes
   * @param tail the number of bytes after its last record; more than 0 after a crash
   */
  record File(String name, long number, long length, long tail) {}
}

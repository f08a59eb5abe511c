package dev.kv.jmh.workload;

/**
 * The sizes that benchmarks of data share.
 *
 * @param keySpace numbers that random keys are chosen from: the entries of the database
 * @param reads operations of a reading benchmark, per thread
 * @param valueSize bytes of a value
 * @param compressionRatio to which share of its size a value compresses
 * @param keyPrefix letters before a key's digits
 */
public record Workload(
    long keySpace, long reads, int valueSize, double compressionRatio, int keyPrefix) {

  /** Returns a key of this form. */
  public DecimalKey newKey() {
    return new DecimalKey(keyPrefix);
  }

  /** Returns the same but for values of {@code size} bytes. */
  public Workload withValueSize(int size) {
    return new Workload(keySpace, reads, size, compressionRatio, keyPrefix);
  }
}

package dev.kv.jmh.workload;

/**
 * The sizes that the benchmarks share.
 *
 * @param keySpace the number of different random keys: the entries of the database
 * @param reads the reads of each thread
 * @param valueSize the size of a value in bytes
 * @param compressionRatio the compressed size of a value as a fraction of its size
 * @param keyPrefix the number of letters before the digits of a key
 */
public record Workload(
    long keySpace, long reads, int valueSize, double compressionRatio, int keyPrefix) {

  /** Returns a new key with this prefix. */
  public DecimalKey newKey() {
    return new DecimalKey(keyPrefix);
  }

  /** Returns the same sizes with values of {@code size} bytes. */
  public Workload withValueSize(int size) {
    return new Workload(keySpace, reads, size, compressionRatio, keyPrefix);
  }
}

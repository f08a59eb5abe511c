package dev.kv.jmh.result;

/**
 * Memory and disk use of a store in one benchmark; -1 if unknown.
 *
 * @param allocatedPerOp bytes allocated on the heap by the benchmark's threads, per operation
 * @param diskBytes bytes on disk at the end
 * @param writeAmplification bytes written to tables per byte of keys and values put; it includes
 *     compactions that an earlier benchmark left over
 * @param stallMicros time for which the store stalled writers
 * @param slowMicros time of the operations of a millisecond or more; only with a histogram
 * @param peakResidentBytes peak of the physical memory of the process, which all stores share
 */
public record Footprint(
    double allocatedPerOp,
    long diskBytes,
    double writeAmplification,
    long stallMicros,
    long slowMicros,
    long peakResidentBytes) {}

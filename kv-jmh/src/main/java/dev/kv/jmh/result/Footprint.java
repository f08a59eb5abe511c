package dev.kv.jmh.result;

/**
 * What a store took besides time, at the end of a benchmark; -1 where it is not known.
 *
 * @param allocatedPerOp bytes allocated on the heap by the benchmark's threads, per operation
 * @param diskBytes bytes on disk
 * @param writeAmplification bytes written to tables per byte of keys and values, since the database
 *     was opened
 * @param stallMicros time for which writers were held back, as the store says, since the open
 * @param slowMicros time in operations of a millisecond or more; only with a histogram
 * @param peakResidentBytes most physical memory that the process held
 */
public record Footprint(
    double allocatedPerOp,
    long diskBytes,
    double writeAmplification,
    long stallMicros,
    long slowMicros,
    long peakResidentBytes) {}

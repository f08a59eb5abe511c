/**
 * Stores with transactions, each behind {@link dev.kv.jmh.transfer.Transfers}: two keys are read
 * for update and written together. {@code TransactionBenchmark} of the package {@code suite} calls
 * it.
 */
@NullMarked
package dev.kv.jmh.transfer;

import org.jspecify.annotations.NullMarked;

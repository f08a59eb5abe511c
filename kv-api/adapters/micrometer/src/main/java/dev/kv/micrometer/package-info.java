/**
 * The statistics and events of kv as meters of Micrometer. {@link
 * dev.kv.micrometer.DatabaseMetrics} registers what {@code DB.admin().stats()} returns, {@link
 * dev.kv.micrometer.EventMetrics} is a listener that measures flushes, compactions, stalls and slow
 * syncs.
 */
@NullMarked
package dev.kv.micrometer;

import org.jspecify.annotations.NullMarked;

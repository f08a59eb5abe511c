/**
 * The change feed: reads the writes of an open database from its logs, in order.
 *
 * <p>{@link dev.kv.core.feed.LogFeed} opens the readers. {@code ChangesImpl} is one of them; it
 * decides which record is the next group. {@code LogCursor} reads records from one log after the
 * other. Which logs there are, and which positions are still good, is a matter of {@link
 * dev.kv.core.state.RetainedLogs}.
 *
 * <p>Called by db. May import state and what lies below it.
 */
@NullMarked
package dev.kv.core.feed;

import org.jspecify.annotations.NullMarked;

/**
 * The loggers of the engine. {@link dev.kv.core.logging.EngineLogger} returns loggers of slf4j if
 * the program has a provider for slf4j, and loggers that do nothing if it has none.
 *
 * <p>Every package that logs calls it. It imports nothing of the engine.
 */
@NullMarked
package dev.kv.core.logging;

import org.jspecify.annotations.NullMarked;

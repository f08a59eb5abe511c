/**
 * What the engine tells about itself. {@link dev.kv.core.event.Events} is the one way out: an event
 * that is posted there reaches the logger, the JVM's flight recorder, the file LOG and the
 * program's listener. Used by every part that does something worth telling; imports only the
 * loggers and environments.
 */
@NullMarked
package dev.kv.core.event;

import org.jspecify.annotations.NullMarked;

package dev.kv;

import org.jspecify.annotations.Nullable;

/** What {@link DB#read} does with a value that lies in the library's memory. */
@FunctionalInterface
public interface ValueReader<R extends @Nullable Object> {
  /** Reads {@code value}, whose window ends when this returns. */
  R read(Slice value);
}

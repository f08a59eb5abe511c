package dev.kv.streams.database;

import java.nio.charset.StandardCharsets;

/**
 * What the entries of a store are. It is kept in the database, because a store of another kind
 * would misread them.
 *
 * @param structure the structure of the keys
 * @param values the format of the values
 */
public record StoreKind(Structure structure, Values values) {
  /** The structure of the keys. */
  public enum Structure {
    /** Keys as they are. */
    KEY_VALUE,
    /** Keys with the start of their window, in segments. */
    WINDOW,
    /** Like {@link #WINDOW}, with an index of the entries by time. */
    WINDOW_BY_TIME,
    /** Keys with start and end of their session, in segments. */
    SESSION,
    /** Like {@link #SESSION}, with an index of the entries by time. */
    SESSION_BY_TIME,
    /** Keys with the time of each of their versions. */
    VERSIONED
  }

  /** The format of the values. */
  public enum Values {
    /** Values as they are. */
    PLAIN,
    /** Values after a timestamp. */
    TIMESTAMPED,
    /** Values after the headers of the record, and a timestamp. */
    HEADERS
  }

  /** Returns true if there is an index of the entries by time. */
  public boolean isIndexed() {
    return structure == Structure.WINDOW_BY_TIME || structure == Structure.SESSION_BY_TIME;
  }

  /** Returns the form of the keys of a window or session store. */
  public TimedKey timedKey() {
    return switch (structure) {
      case WINDOW, WINDOW_BY_TIME -> TimedKey.WINDOW;
      case SESSION, SESSION_BY_TIME -> TimedKey.SESSION;
      case KEY_VALUE, VERSIONED ->
          throw new IllegalStateException("keys that are in no window or session");
    };
  }

  /** Returns what metrics call stores of this structure. */
  public String metricsScope() {
    return switch (structure) {
      case KEY_VALUE -> "kv";
      case WINDOW, WINDOW_BY_TIME -> "kv-window";
      case SESSION, SESSION_BY_TIME -> "kv-session";
      case VERSIONED -> "kv-versioned";
    };
  }

  byte[] encode() {
    return (structure + "/" + values).getBytes(StandardCharsets.UTF_8);
  }
}

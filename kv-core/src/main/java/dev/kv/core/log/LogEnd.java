package dev.kv.core.log;

/** How a log ends. */
public enum LogEnd {
  /** At the end of a record, or empty: the log may be appended to. */
  RECORD,
  /** With zeros that were never overwritten: a mapped log that was not closed. */
  ZEROS,
  /** Inside a record, or with bytes that are not a record. */
  TORN
}

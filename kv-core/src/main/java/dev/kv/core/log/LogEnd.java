package dev.kv.core.log;

/** How a log ends. */
public enum LogEnd {
  /** On the end of a record (or empty): it may be appended to. */
  RECORD,
  /** With zeros that nothing was stored to yet: a mapped log that was not closed. */
  ZEROS,
  /** Inside a record, or with bytes that are no record. */
  TORN
}

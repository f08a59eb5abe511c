package dev.kv.tuple;

/** The first byte of each element, as FoundationDB's specification assigns it. */
final class TypeCode {
  static final int NULL = 0x00;
  static final int BYTES = 0x01;
  static final int STRING = 0x02;
  static final int TUPLE = 0x05;

  /** A negative integer of more than 8 bytes, with its length. */
  static final int BIG_NEGATIVE = 0x0b;

  /** The integer 0. An integer of n bytes has this code plus n, or minus n if it is negative. */
  static final int ZERO = 0x14;

  /** A positive integer of more than 8 bytes, with its length. */
  static final int BIG_POSITIVE = 0x1d;

  static final int FLOAT = 0x20;
  static final int DOUBLE = 0x21;
  static final int FALSE = 0x26;
  static final int TRUE = 0x27;
  static final int UUID = 0x30;

  /** A descending element: one of the codes that the specification leaves to applications. */
  static final int DESCENDING = 0x4d;

  /** The end of bytes, strings and tuples, unless {@link #ESCAPE} follows. */
  static final int END = 0x00;

  /** After a zero byte: the zero is a part of the bytes, or a null in a nested tuple. */
  static final int ESCAPE = 0xff;

  private TypeCode() {}
}

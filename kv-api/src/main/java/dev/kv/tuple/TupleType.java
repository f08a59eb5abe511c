package dev.kv.tuple;

/** The type of an element of a tuple. Elements of different types sort in the order given here. */
public enum TupleType {
  /** No value. */
  NULL,
  /** A string of bytes, which sort as unsigned numbers. */
  BYTES,
  /** A text, which sorts by its code points. */
  STRING,
  /** A tuple, which sorts by its elements. */
  TUPLE,
  /** An integer of any size up to 255 bytes. */
  INTEGER,
  /** A floating-point number of 32 bits. */
  FLOAT,
  /** A floating-point number of 64 bits. */
  DOUBLE,
  /** A truth value; false sorts before true. */
  BOOLEAN,
  /** A UUID, which sorts by its 16 bytes as unsigned numbers. */
  UUID
}

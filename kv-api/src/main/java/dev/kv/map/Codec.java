package dev.kv.map;

import dev.kv.bytes.Slice;
import java.util.Objects;
import java.util.function.Function;

/**
 * Converts objects of one type to bytes and back. Implementations are thread-safe. {@link Codecs}
 * has the codecs of common types; {@link #of} makes one from two functions, and {@link #mapped} one
 * from another.
 *
 * <p>What {@link #encode} throws is passed on to the caller of the map; an {@link
 * IllegalArgumentException} gets the name of the map before its message, except in the lookup of a
 * key, which is then {@linkplain DBMap not in the map}. What {@link #decode} throws is the cause of
 * an IllegalArgumentException that names the map and the key, except a {@link
 * dev.kv.errors.DBException}, which is passed on.
 *
 * @param <T> the type of the objects
 */
public interface Codec<T> {

  /**
   * Creates a codec from two functions.
   *
   * @param <T> the type of the objects
   * @param encoder implements {@link #encode}
   * @param decoder implements {@link #decode}
   * @return the codec
   */
  static <T> Codec<T> of(
      Function<? super T, byte[]> encoder, Function<? super Slice, ? extends T> decoder) {
    return new FunctionCodec<>(encoder, decoder);
  }

  /**
   * Converts an object to bytes.
   *
   * @param value the object, not null
   * @return a new array, which the caller owns
   */
  byte[] encode(T value);

  /**
   * Converts bytes to an object.
   *
   * @param bytes the bytes, valid during the call only
   * @return the object, not null
   * @throws IllegalArgumentException if the bytes are not an encoded object
   */
  T decode(Slice bytes);

  /**
   * Returns a codec of another type, whose objects are converted to those of this codec. For
   * example, {@code Codecs.longs().mapped(UserId::new, UserId::number)}.
   *
   * @param <U> the other type
   * @param from converts an object of this codec to the other type, and does not return null
   * @param to converts an object of the other type to that of this codec
   * @return the codec
   */
  default <U> Codec<U> mapped(
      Function<? super T, ? extends U> from, Function<? super U, ? extends T> to) {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    return new FunctionCodec<>(
        value -> encode(to.apply(value)), bytes -> from.apply(decode(bytes)));
  }
}

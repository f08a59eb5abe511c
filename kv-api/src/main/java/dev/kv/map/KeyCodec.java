package dev.kv.map;

import dev.kv.bytes.Slice;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Function;

/**
 * A codec of keys, which declares their order. The database orders keys by their bytes, as unsigned
 * numbers, so three things hold for all keys a and b:
 *
 * <ol>
 *   <li>{@code order().compare(a, b)} has the sign of {@code Arrays.compareUnsigned(encode(a),
 *       encode(b))}.
 *   <li>{@code decode(encode(a))} is equal to a.
 *   <li>Equal keys have the same bytes, and the bytes of a key never change.
 * </ol>
 *
 * <p>{@link dev.kv.tuple.TupleBuilder} encodes keys of several parts so that they sort as their
 * parts do.
 *
 * @param <K> the type of the keys
 */
public interface KeyCodec<K> extends Codec<K> {

  /**
   * Creates a key codec from two functions. Its order compares the encoded keys.
   *
   * @param <K> the type of the keys
   * @param encoder implements {@link #encode}
   * @param decoder implements {@link #decode}
   * @return the codec
   */
  static <K> KeyCodec<K> of(
      Function<? super K, byte[]> encoder, Function<? super Slice, ? extends K> decoder) {
    Objects.requireNonNull(encoder, "encoder");
    return of(
        encoder, decoder, (a, b) -> Arrays.compareUnsigned(encoder.apply(a), encoder.apply(b)));
  }

  /**
   * Creates a key codec from two functions and an order.
   *
   * @param <K> the type of the keys
   * @param encoder implements {@link #encode}
   * @param decoder implements {@link #decode}
   * @param order the order of the keys, which must be that of the encoded keys
   * @return the codec
   */
  static <K> KeyCodec<K> of(
      Function<? super K, byte[]> encoder,
      Function<? super Slice, ? extends K> decoder,
      Comparator<? super K> order) {
    return new FunctionKeyCodec<>(encoder, decoder, order);
  }

  /**
   * Returns the order of the keys. The default encodes both keys and compares the bytes, which is
   * always right. Override it to be faster. A map returns this order as its {@code comparator()},
   * and does not use it otherwise.
   *
   * @return the order; thread-safe
   */
  default Comparator<? super K> order() {
    return (a, b) -> Arrays.compareUnsigned(encode(a), encode(b));
  }

  /**
   * Returns a key codec of another type, whose keys are converted to those of this codec and sort
   * as they do.
   *
   * @param <U> the other type
   * @param from converts a key of this codec to the other type, and does not return null
   * @param to converts a key of the other type to that of this codec
   * @return the codec
   */
  @Override
  default <U> KeyCodec<U> mapped(
      Function<? super K, ? extends U> from, Function<? super U, ? extends K> to) {
    Objects.requireNonNull(from, "from");
    Objects.requireNonNull(to, "to");
    Comparator<? super K> order = order();
    return of(
        key -> encode(to.apply(key)),
        bytes -> from.apply(decode(bytes)),
        (a, b) -> order.compare(to.apply(a), to.apply(b)));
  }
}

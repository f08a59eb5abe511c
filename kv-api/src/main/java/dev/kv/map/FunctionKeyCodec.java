package dev.kv.map;

import dev.kv.bytes.Slice;
import java.util.Comparator;
import java.util.Objects;
import java.util.function.Function;

/** The key codec of {@link KeyCodec#of(Function, Function, Comparator)}. */
record FunctionKeyCodec<K>(
    Function<? super K, byte[]> encoder,
    Function<? super Slice, ? extends K> decoder,
    Comparator<? super K> order)
    implements KeyCodec<K> {
  FunctionKeyCodec {
    Objects.requireNonNull(encoder, "encoder");
    Objects.requireNonNull(decoder, "decoder");
    Objects.requireNonNull(order, "order");
  }

  @Override
  public byte[] encode(K value) {
    return encoder.apply(Objects.requireNonNull(value, "value"));
  }

  @Override
  public K decode(Slice bytes) {
    return decoder.apply(Objects.requireNonNull(bytes, "bytes"));
  }
}

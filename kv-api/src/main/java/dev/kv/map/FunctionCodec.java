package dev.kv.map;

import dev.kv.bytes.Slice;
import java.util.Objects;
import java.util.function.Function;

/** The codec of {@link Codec#of}. */
record FunctionCodec<T>(
    Function<? super T, byte[]> encoder, Function<? super Slice, ? extends T> decoder)
    implements Codec<T> {
  FunctionCodec {
    Objects.requireNonNull(encoder, "encoder");
    Objects.requireNonNull(decoder, "decoder");
  }

  @Override
  public byte[] encode(T value) {
    return encoder.apply(Objects.requireNonNull(value, "value"));
  }

  @Override
  public T decode(Slice bytes) {
    return decoder.apply(Objects.requireNonNull(bytes, "bytes"));
  }
}

package dev.kv.map;

import dev.kv.bytes.Entry;
import java.util.Arrays;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * The changes of single entries that depend on their value. Each reads the value, decides, and
 * writes on the condition that the value is still the same; if it is not, it begins again. One of
 * several that meet always succeeds. A value to return is decoded before the write, so that one
 * that cannot be decoded is not lost. Immutable.
 */
record AtomicUpdates<K, V>(MapStore<K, V> store) {

  /** Sets a value, and returns the old one. */
  @Nullable V put(byte[] key, byte[] next) {
    while (true) {
      byte[] old = store.bytes(key);
      V present = store.decodeOrNull(key, old);
      if (store.swap(key, old, next)) {
        return present;
      }
    }
  }

  /** Sets a value if there is none, and returns the one that there was. */
  @Nullable V putIfAbsent(byte[] key, byte[] next) {
    store.requireWritable();
    while (true) {
      V present = store.get(key);
      if (present != null || store.swap(key, null, next)) {
        return present;
      }
    }
  }

  /** Sets, or deletes if null, a value if there is one, and returns that. */
  @Nullable V replace(byte[] key, byte @Nullable [] next) {
    store.requireWritable();
    while (true) {
      byte[] old = store.bytes(key);
      if (old == null) {
        return null;
      }
      V present = store.decodeValue(key, old);
      if (store.swap(key, old, next)) {
        return present;
      }
    }
  }

  /** Sets, or deletes if null, a value if it is equal to an object, or has the same bytes. */
  boolean replaceEqual(byte[] key, @Nullable Object equal, byte @Nullable [] next) {
    store.requireWritable();
    byte[] encoded = store.encodeOrNull(equal);
    while (true) {
      byte[] old = store.bytes(key);
      if (old == null
          || !(Arrays.equals(old, encoded)
              || Objects.deepEquals(store.decodeValue(key, old), equal))) {
        return false;
      }
      if (store.swap(key, old, next)) {
        return true;
      }
    }
  }

  /** Replaces a value by what a function makes of it. No value is null, for both. */
  @Nullable V update(byte[] key, Function<@Nullable V, @Nullable V> function) {
    store.requireWritable();
    while (true) {
      byte[] old = store.bytes(key);
      V next = function.apply(store.decodeOrNull(key, old));
      if ((old == null && next == null)
          || store.swap(key, old, next == null ? null : store.encodeValue(next))) {
        return next;
      }
    }
  }

  /** Replaces each value of a range by what a function makes of its key and of it. */
  void replaceAll(KeyRange range, BiFunction<? super K, ? super V, ? extends V> function) {
    store.requireWritable();
    Iterator<Entry> entries = new Scan<>(store, range, false, Function.identity());
    while (entries.hasNext()) {
      byte[] encoded = entries.next().key();
      K key = store.decodeKey(encoded);
      update(
          encoded,
          old ->
              old == null
                  ? null
                  : Objects.requireNonNull(function.apply(key, old), "the function's result"));
    }
  }

  /** Deletes the first or the last entry of a range, and returns it. */
  Map.@Nullable Entry<K, V> poll(KeyRange range, boolean last) {
    store.requireWritable();
    while (true) {
      Entry entry = store.end(range, last, true);
      if (entry == null) {
        return null;
      }
      Map.Entry<K, V> polled = store.decode(entry);
      if (store.swap(entry.key(), entry.value(), null)) {
        return polled;
      }
    }
  }

  /** Deletes the entries that a filter accepts, except those whose value changed meanwhile. */
  boolean removeIf(KeyRange range, Predicate<? super Map.Entry<K, V>> filter) {
    store.requireWritable();
    boolean removed = false;
    Iterator<Entry> entries = new Scan<>(store, range, true, Function.identity());
    while (entries.hasNext()) {
      Entry entry = entries.next();
      if (filter.test(store.decode(entry))) {
        removed |= store.swap(entry.key(), entry.value(), null);
      }
    }
    return removed;
  }
}

package dev.kv.map;

import java.util.AbstractSet;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The entries of a map. */
final class EntryView<K, V> extends AbstractSet<Map.Entry<K, V>> {
  private final DBMap<K, V> map;

  EntryView(DBMap<K, V> map) {
    this.map = map;
  }

  @Override
  public Iterator<Map.Entry<K, V>> iterator() {
    return map.entryScan();
  }

  @Override
  public Spliterator<Map.Entry<K, V>> spliterator() {
    return Spliterators.spliteratorUnknownSize(iterator(), DBMap.SET_TRAITS);
  }

  @Override
  public int size() {
    return map.size();
  }

  @Override
  public boolean isEmpty() {
    return map.isEmpty();
  }

  @Override
  public boolean contains(@Nullable Object object) {
    if (!(object instanceof Map.Entry<?, ?> entry) || entry.getKey() == null) {
      return false;
    }
    V value = map.get(entry.getKey());
    return value != null && Objects.deepEquals(value, entry.getValue());
  }

  @Override
  public boolean remove(@Nullable Object object) {
    return object instanceof Map.Entry<?, ?> entry
        && entry.getKey() != null
        && map.remove(entry.getKey(), entry.getValue());
  }

  @Override
  public boolean removeIf(Predicate<? super Map.Entry<K, V>> filter) {
    return map.removeIf(filter);
  }

  @Override
  public void clear() {
    map.clear();
  }
}

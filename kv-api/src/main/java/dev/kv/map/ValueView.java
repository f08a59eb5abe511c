package dev.kv.map;

import java.util.AbstractCollection;
import java.util.Iterator;
import java.util.Map;
import java.util.Objects;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/** The values of a map, in the order of their keys. */
final class ValueView<V> extends AbstractCollection<V> {
  private final DBMap<?, V> map;

  ValueView(DBMap<?, V> map) {
    this.map = map;
  }

  @Override
  public Iterator<V> iterator() {
    return map.valueScan();
  }

  @Override
  public Spliterator<V> spliterator() {
    return Spliterators.spliteratorUnknownSize(iterator(), DBMap.TRAITS);
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
  public boolean contains(Object value) {
    return map.containsValue(value);
  }

  @Override
  public boolean remove(@Nullable Object value) {
    for (Iterator<? extends Map.Entry<?, V>> each = map.entryScan(); each.hasNext(); ) {
      Map.Entry<?, V> entry = each.next();
      if (Objects.deepEquals(entry.getValue(), value)
          && map.remove(entry.getKey(), entry.getValue())) {
        return true;
      }
    }
    return false;
  }

  @Override
  public boolean removeIf(Predicate<? super V> filter) {
    Objects.requireNonNull(filter, "filter");
    return map.removeIf(entry -> filter.test(entry.getValue()));
  }

  @Override
  public void clear() {
    map.clear();
  }
}

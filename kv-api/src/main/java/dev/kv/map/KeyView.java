package dev.kv.map;

import java.util.AbstractSet;
import java.util.Comparator;
import java.util.Iterator;
import java.util.Map;
import java.util.NavigableSet;
import java.util.Spliterator;
import java.util.Spliterators;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** The keys of a map. */
final class KeyView<K> extends AbstractSet<K> implements NavigableSet<K> {
  private final DBMap<K, ?> map;

  KeyView(DBMap<K, ?> map) {
    this.map = map;
  }

  @Override
  public Iterator<K> iterator() {
    return map.keyScan();
  }

  @Override
  public Spliterator<K> spliterator() {
    Spliterator<K> keys = Spliterators.spliteratorUnknownSize(iterator(), DBMap.SET_TRAITS);
    return new Sorted<>(keys, comparator());
  }

  /** Keys in the order of the map, and the parts of them. */
  private record Sorted<K>(Spliterator<K> keys, Comparator<? super K> order)
      implements Spliterator<K> {
    @Override
    public boolean tryAdvance(Consumer<? super K> action) {
      return keys.tryAdvance(action);
    }

    @Override
    public void forEachRemaining(Consumer<? super K> action) {
      keys.forEachRemaining(action);
    }

    @Override
    public @Nullable Spliterator<K> trySplit() {
      Spliterator<K> part = keys.trySplit();
      return part == null ? null : new Sorted<>(part, order);
    }

    @Override
    public long estimateSize() {
      return keys.estimateSize();
    }

    @Override
    public int characteristics() {
      return keys.characteristics() | SORTED;
    }

    @Override
    public Comparator<? super K> getComparator() {
      return order;
    }
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
  public boolean contains(Object key) {
    return map.containsKey(key);
  }

  @Override
  public boolean remove(Object key) {
    return map.remove(key) != null;
  }

  @Override
  public void clear() {
    map.clear();
  }

  @Override
  public Comparator<? super K> comparator() {
    return map.comparator();
  }

  @Override
  public K first() {
    return map.firstKey();
  }

  @Override
  public K last() {
    return map.lastKey();
  }

  @Override
  public @Nullable K lower(K key) {
    return map.lowerKey(key);
  }

  @Override
  public @Nullable K floor(K key) {
    return map.floorKey(key);
  }

  @Override
  public @Nullable K ceiling(K key) {
    return map.ceilingKey(key);
  }

  @Override
  public @Nullable K higher(K key) {
    return map.higherKey(key);
  }

  @Override
  public @Nullable K pollFirst() {
    Map.Entry<K, ?> first = map.pollFirstEntry();
    return first == null ? null : first.getKey();
  }

  @Override
  public @Nullable K pollLast() {
    Map.Entry<K, ?> last = map.pollLastEntry();
    return last == null ? null : last.getKey();
  }

  @Override
  public NavigableSet<K> descendingSet() {
    return map.descendingKeySet();
  }

  @Override
  public Iterator<K> descendingIterator() {
    return descendingSet().iterator();
  }

  @Override
  public NavigableSet<K> subSet(K from, boolean fromInclusive, K to, boolean toInclusive) {
    return map.subMap(from, fromInclusive, to, toInclusive).keySet();
  }

  @Override
  public NavigableSet<K> headSet(K to, boolean inclusive) {
    return map.headMap(to, inclusive).keySet();
  }

  @Override
  public NavigableSet<K> tailSet(K from, boolean inclusive) {
    return map.tailMap(from, inclusive).keySet();
  }

  @Override
  public NavigableSet<K> subSet(K from, K to) {
    return subSet(from, true, to, false);
  }

  @Override
  public NavigableSet<K> headSet(K to) {
    return headSet(to, false);
  }

  @Override
  public NavigableSet<K> tailSet(K from) {
    return tailSet(from, true);
  }
}

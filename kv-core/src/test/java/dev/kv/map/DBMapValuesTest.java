package dev.kv.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.entry;
import static org.junit.jupiter.api.Assertions.assertTimeoutPreemptively;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.Snapshot;
import dev.kv.env.Env;
import dev.kv.errors.DBClosedException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Values that are equal only to themselves, that are arrays, or that cannot be decoded. */
class DBMapValuesTest {
  /** An object without an equals method. */
  private static final class Box {
    final String text;

    Box(String text) {
      this.text = text;
    }
  }

  private DB db;
  private DBMap<String, Long> numbers;
  private DBMap<String, Box> boxes;

  @BeforeEach
  void open() {
    db =
        DB.open(
            Path.of("values"), Options.builder().createIfMissing(true).env(Env.inMemory()).build());
    numbers = DBMap.of(db, Codecs.utf8(), Codecs.longs());
    boxes = DBMap.of(db, Codecs.utf8(), Codecs.utf8().mapped(Box::new, box -> box.text));
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void removeAndReplace_valueThatTheCodecCannotEncode_areFalse() {
    boxes.set("a", new Box("1"));
    assertThat(boxes.remove("a", new Box(null))).isFalse();
    assertThat(boxes.remove("none", new Box(null))).isFalse();
    assertThat(boxes.replace("a", new Box(null), new Box("2"))).isFalse();
    assertThat(boxes.get("a").text).isEqualTo("1");
  }

  @Test
  void replaceAll_ofValuesWithoutEquals_replacesThoseOfTheMap() {
    for (String key : List.of("a", "b", "c")) {
      boxes.set(key, new Box(key));
    }
    assertTimeoutPreemptively(
        Duration.ofSeconds(30),
        () -> boxes.tailMap("b").replaceAll((key, box) -> new Box(key + box.text)));
    assertThat(boxes.values()).extracting(box -> box.text).containsExactly("a", "bb", "cc");
  }

  @Test
  void replaceAll_valueChangedMeanwhile_callsTheFunctionAgain() {
    numbers.putAll(Map.of("a", 1L, "b", 2L));
    AtomicInteger calls = new AtomicInteger();
    numbers.replaceAll(
        (key, number) -> {
          if (calls.incrementAndGet() == 1) {
            numbers.set("a", 10L);
            numbers.delete("b");
          }
          return number + 1;
        });
    assertThat(numbers).containsExactly(entry("a", 11L));
    assertThat(calls).hasValue(2);
    assertThatThrownBy(() -> numbers.replaceAll((key, number) -> null))
        .isInstanceOf(NullPointerException.class);
    assertThat(numbers).containsExactly(entry("a", 11L));
  }

  @Test
  void replaceAndRemove_ofAValueWithoutEquals_compareItsBytes() {
    boxes.set("a", new Box("1"));
    assertThat(boxes.replace("a", new Box("2"), new Box("3"))).isFalse();
    assertThat(boxes.replace("a", new Box("1"), new Box("2"))).isTrue();
    assertThat(boxes.remove("a", new Box("1"))).isFalse();
    assertThat(boxes.remove("a", "of another class")).isFalse();
    assertThat(boxes.remove("a", null)).isFalse();
    assertThat(boxes.replace("a", new Box("\ud800"), new Box("3"))).isFalse();
    assertThat(boxes.remove("a", new Box("2"))).isTrue();
    assertThat(boxes).isEmpty();
  }

  @Test
  void change_thatReturnsAValueThatCannotBeDecoded_changesNothing() {
    db.put(b("a"), b("text"));
    List<ThrowingCallable> changes =
        List.of(
            () -> numbers.put("a", 1L),
            () -> numbers.replace("a", 1L),
            () -> numbers.remove("a"),
            () -> numbers.keySet().remove("a"),
            numbers::pollFirstEntry,
            numbers::pollLastEntry);
    for (ThrowingCallable change : changes) {
      assertThatThrownBy(change)
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("the value of key 'a'");
      assertThat(db.get(b("a"))).isEqualTo(b("text"));
    }
    numbers.delete("a");
    assertThat(numbers).isEmpty();
  }

  @Test
  void removeOfTheValues_ofAnArray_comparesItsContent() {
    DBMap<String, byte[]> arrays = DBMap.of(db, Codecs.utf8(), Codecs.bytes());
    arrays.putAll(Map.of("a", b("1"), "b", b("2"), "c", b("2")));
    assertThat(arrays.values().remove(b("3"))).isFalse();
    assertThat(arrays.values().remove(null)).isFalse();
    assertThat(arrays.values().remove(b("2"))).isTrue();
    assertThat(arrays.keySet()).containsExactly("a", "c");
    assertThat(arrays.values().contains(b("2"))).isTrue();
  }

  @Test
  void iterator_afterAFailure_failsAgain() {
    for (long i = 0; i < 40; i++) {
      numbers.set("key" + i, i);
    }
    Iterator<String> keys = numbers.keySet().iterator();
    for (int i = 0; i < 16; i++) {
      keys.next();
    }
    db.close();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(keys::hasNext).isInstanceOf(DBClosedException.class);
      assertThatThrownBy(keys::next).isInstanceOf(DBClosedException.class);
    }
  }

  @Test
  void changesWithoutAResult_ofAReadOnlyMap_areRefused() {
    numbers.set("a", 1L);
    try (Snapshot snapshot = db.snapshot()) {
      NavigableMap<String, Long> before = numbers.at(snapshot);
      List<ThrowingCallable> changes =
          List.of(
              () -> before.computeIfAbsent("x", key -> null),
              () -> before.headMap("m", true).compute("x", (key, old) -> null),
              () -> before.replaceAll((key, old) -> old));
      for (ThrowingCallable change : changes) {
        assertThatThrownBy(change).isInstanceOf(UnsupportedOperationException.class);
      }
    }
  }
}

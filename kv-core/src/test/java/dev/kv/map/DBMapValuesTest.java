package dev.kv.map;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.env.Env;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.List;
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
    numbers = Maps.of(db, Codecs.utf8(), Codecs.longs());
    boxes = Maps.of(db, Codecs.utf8(), Codecs.utf8().mapped(Box::new, box -> box.text));
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
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
}

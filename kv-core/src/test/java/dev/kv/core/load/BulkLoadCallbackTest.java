package dev.kv.core.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.db.DbTestBase;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** A receiver of the progress of a load that uses the loader, closes things, or throws. */
class BulkLoadCallbackTest extends DbTestBase {
  private static final int ENTRIES = 20_000;

  @BeforeEach
  void create() {
    open(defaults());
  }

  private BulkLoader load(Consumer<BulkLoader> callback) {
    List<BulkLoader> self = new ArrayList<>();
    BulkLoader loader =
        db.loads()
            .bulkLoader(
                BulkLoadOptions.builder()
                    .sorted(false)
                    .progress((done, total) -> callback.accept(self.get(0)))
                    .build());
    self.add(loader);
    for (int i = 0; i < ENTRIES; i++) {
      loader.put(b(key(i)), b("v"));
    }
    return loader;
  }

  static Stream<Arguments> actions() {
    return Stream.of(
        Arguments.of("close", (Consumer<BulkLoader>) BulkLoader::close),
        Arguments.of("finish", (Consumer<BulkLoader>) BulkLoader::finish),
        Arguments.of("put", (Consumer<BulkLoader>) loader -> loader.put(b("k"), b("v"))));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("actions")
  void finish_whoseCallbackUsesTheLoader_throwsAndLoadsNothing(
      String what, Consumer<BulkLoader> action) {
    try (BulkLoader loader = load(action)) {
      assertThatThrownBy(loader::finish)
          .as(what)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("must not use or close");
    }
    assertThat(db.get(b(key(7)))).isNull();
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("actions")
  void finish_whoseCallbackIgnoresThat_loadsEverything(String what, Consumer<BulkLoader> action) {
    try (BulkLoader loader =
        load(
            each -> {
              try {
                action.accept(each);
              } catch (IllegalStateException expected) {
                assertThat(expected).as(what).hasMessageContaining("must not use or close");
              }
            })) {
      loader.finish();
    }
    for (int i = 0; i < ENTRIES; i += 999) {
      assertThat(db.get(b(key(i)))).isEqualTo(b("v"));
    }
  }

  @Test
  void finish_whoseCallbackClosesTheDatabase_throws() {
    try (BulkLoader loader = load(each -> db.close())) {
      assertThatThrownBy(loader::finish)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("nor close its database");
    }
    db.put(b("k"), b("v"));
    assertThat(db.get(b(key(7)))).isNull();
  }

  @Test
  void finish_whoseCallbackThrows_throwsThatAndLoadsNothing() {
    try (BulkLoader loader =
        load(
            each -> {
              throw new ArithmeticException("mine");
            })) {
      assertThatThrownBy(loader::finish).isInstanceOf(ArithmeticException.class);
      assertThatThrownBy(loader::finish).isInstanceOf(IllegalStateException.class);
    }
    assertThat(db.get(b(key(7)))).isNull();
  }
}

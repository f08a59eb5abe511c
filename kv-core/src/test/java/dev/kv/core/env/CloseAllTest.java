package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Sneaky;
import java.io.IOException;
import java.lang.reflect.UndeclaredThrowableException;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class CloseAllTest {
  private final List<String> closed = new ArrayList<>();

  private AutoCloseable step(String name) {
    return () -> closed.add(name);
  }

  private AutoCloseable failing(String name, Throwable failure) {
    return () -> {
      closed.add(name);
      throw Sneaky.unchecked(failure);
    };
  }

  @Test
  void of_stepsThatFail_runsAllAndThrowsTheFirstFailure() {
    IllegalStateException first = new IllegalStateException("first");
    Error second = new AssertionError("second");
    assertThatThrownBy(
            () -> CloseAll.of(step("a"), failing("b", first), failing("c", second), step("d")))
        .isSameAs(first);
    assertThat(first.getSuppressed()).containsExactly(second);
    assertThat(closed).containsExactly("a", "b", "c", "d");
  }

  @Test
  void of_stepsThatFailWithTheSameError_throwsIt() {
    Error failure = new OutOfMemoryError();
    assertThatThrownBy(() -> CloseAll.of(failing("a", failure), failing("b", failure)))
        .isSameAs(failure);
    assertThat(closed).containsExactly("a", "b");
  }

  @Test
  void of_aStepWithACheckedException_wrapsItAndGoesOn() {
    Exception failure = new Exception("of an Env in another language");
    assertThatThrownBy(() -> CloseAll.of(failing("a", failure), step("b")))
        .isInstanceOf(UndeclaredThrowableException.class)
        .hasCause(failure);
    assertThat(closed).containsExactly("a", "b");
  }

  @Test
  void ofFiles_aStepWithAnIOExceptionFirst_throwsIt() {
    IOException first = new IOException("first");
    Error second = new AssertionError("second");
    assertThatThrownBy(
            () ->
                CloseAll.ofFiles(
                    List.of(
                        () -> {
                          closed.add("a");
                          throw first;
                        },
                        () -> {
                          closed.add("b");
                          throw second;
                        })))
        .isSameAs(first)
        .hasSuppressedException(second);
    assertThat(closed).containsExactly("a", "b");
  }
}

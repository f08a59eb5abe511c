package dev.kv.core.logging;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** A class of its own: those that {@link EngineLoggerTest} loads must not need slf4j. */
class FailingLoggerTest {
  private static Logger failing(Throwable failure) {
    return (Logger)
        Proxy.newProxyInstance(
            Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class},
            (proxy, method, arguments) -> {
              throw failure;
            });
  }

  @Test
  void messages_toALoggerThatThrows_areLost() {
    for (Throwable failure :
        List.of(new IllegalStateException("the disk is full"), new AssertionError("of a logger"))) {
      Logger failing = failing(failure);
      assertThatThrownBy(() -> failing.warn("a")).isSameAs(failure);
      EngineLogger logger = new EngineLogger(failing);
      logger.debug("a {}", 1);
      logger.info("a {}", 1);
      logger.warn("a {}", 1);
      logger.error("a {}", 1);
    }
  }
}

package dev.kv.core.logging;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.Proxy;
import org.junit.jupiter.api.Test;
import org.slf4j.Logger;

/** A class of its own: those that {@link EngineLoggerTest} loads must not need slf4j. */
class FailingLoggerTest {
  /** A logger of the program that cannot write. */
  private static Logger failing() {
    return (Logger)
        Proxy.newProxyInstance(
            Logger.class.getClassLoader(),
            new Class<?>[] {Logger.class},
            (proxy, method, arguments) -> {
              throw new IllegalStateException("the disk is full");
            });
  }

  @Test
  void messages_toALoggerThatThrows_areLost() {
    Logger failing = failing();
    assertThatThrownBy(() -> failing.warn("a")).isInstanceOf(IllegalStateException.class);
    EngineLogger logger = new EngineLogger(failing);
    logger.debug("a {}", 1);
    logger.info("a {}", 1);
    logger.warn("a {}", 1);
    logger.error("a {}", 1);
  }
}

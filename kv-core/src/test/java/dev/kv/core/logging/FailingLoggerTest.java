package dev.kv.core.logging;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;

/** A class of its own: those that {@link EngineLoggerTest} loads must not need slf4j. */
class FailingLoggerTest {
  /** A logger of the program that cannot write. */
  private static final class Failing extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    @Override
    public boolean isTraceEnabled() {
      return true;
    }

    @Override
    public boolean isDebugEnabled() {
      return true;
    }

    @Override
    public boolean isInfoEnabled() {
      return true;
    }

    @Override
    public boolean isWarnEnabled() {
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }

    @Override
    protected String getFullyQualifiedCallerName() {
      return "";
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
      throw new IllegalStateException("the disk is full");
    }
  }

  @Test
  void messages_toALoggerThatThrows_areLost() {
    Failing failing = new Failing();
    assertThatThrownBy(() -> failing.warn("a")).isInstanceOf(IllegalStateException.class);
    EngineLogger logger = new EngineLogger(failing);
    logger.debug("a {}", 1);
    logger.info("a {}", 1);
    logger.warn("a {}", 1);
    logger.error("a {}", 1);
  }
}

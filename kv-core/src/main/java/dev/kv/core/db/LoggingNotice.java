package dev.kv.core.db;

import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/** Prevents the notice of slf4j on stderr that a program has chosen no logging. */
final class LoggingNotice {
  private static final String VERBOSITY = "slf4j.internal.verbosity";
  private static final String PROVIDER = "slf4j.provider";

  private LoggingNotice() {}

  /**
   * Lets slf4j look for a provider in silence if there is none, and leaves it alone otherwise.
   * Netty asks slf4j for loggers too, so it is not enough to do without them here.
   */
  static void silence() {
    if (System.getProperty(VERBOSITY) != null || System.getProperty(PROVIDER) != null) {
      return;
    }
    if (hasProvider()) {
      return;
    }
    System.setProperty(VERBOSITY, "ERROR");
    try {
      LoggerFactory.getILoggerFactory();
    } finally {
      System.clearProperty(VERBOSITY);
    }
  }

  private static boolean hasProvider() {
    try {
      ClassLoader where = LoggerFactory.class.getClassLoader();
      return ServiceLoader.load(SLF4JServiceProvider.class, where).stream().findAny().isPresent();
    } catch (ServiceConfigurationError | LinkageError e) {
      return true; // a broken provider, or slf4j 1: slf4j has to say so
    }
  }
}

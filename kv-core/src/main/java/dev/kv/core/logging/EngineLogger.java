package dev.kv.core.logging;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import io.netty.util.internal.logging.Log4J2LoggerFactory;
import io.netty.util.internal.logging.Log4JLoggerFactory;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.helpers.NOPLogger;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Returns the loggers of the engine. Thread-safe.
 *
 * <p>The first use of slf4j without a provider prints a notice on stderr. A storage library should
 * not cause it. But if the program itself logs through slf4j, its author needs the notice. So
 * without a provider the engine, and Netty's buffers in it, do not touch slf4j at all, and the
 * program's own first use prints it.
 */
public final class EngineLogger {
  private static final boolean HAS_PROVIDER = hasProvider();

  private EngineLogger() {}

  /** Returns the logger of a class. */
  public static Logger of(Class<?> type) {
    return HAS_PROVIDER ? LoggerFactory.getLogger(type) : NOPLogger.NOP_LOGGER;
  }

  /**
   * Lets Netty choose its logging as it does without slf4j, unless slf4j has a provider or the
   * program has chosen already. Called before the first use of Netty.
   */
  public static void prepareNetty() {
    if (!HAS_PROVIDER && !isNettyPrepared()) {
      InternalLoggerFactory.setDefaultFactory(nettyFallback());
    }
  }

  private static InternalLoggerFactory nettyFallback() {
    if (exists("org.apache.logging.log4j.Logger")) {
      return Log4J2LoggerFactory.INSTANCE;
    }
    return exists("org.apache.log4j.Logger")
        ? Log4JLoggerFactory.INSTANCE
        : JdkLoggerFactory.INSTANCE;
  }

  private static boolean exists(String name) {
    try {
      Class.forName(name, false, InternalLoggerFactory.class.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Returns true if a factory was set. Netty's getter would set one, and touch slf4j for it. */
  private static boolean isNettyPrepared() {
    try {
      Field factory = InternalLoggerFactory.class.getDeclaredField("defaultFactory");
      factory.setAccessible(true);
      return factory.get(null) != null;
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      return false; // as a named module, or another version of Netty
    }
  }

  private static boolean hasProvider() {
    if (System.getProperty("slf4j.provider") != null) {
      return true;
    }
    try {
      ClassLoader where = LoggerFactory.class.getClassLoader();
      return ServiceLoader.load(SLF4JServiceProvider.class, where).stream().findAny().isPresent();
    } catch (ServiceConfigurationError | LinkageError e) {
      return true; // a broken provider, or slf4j 1: slf4j reports that
    }
  }
}

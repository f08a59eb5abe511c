package dev.kv.core.logging;

import io.netty.util.internal.logging.InternalLoggerFactory;
import io.netty.util.internal.logging.JdkLoggerFactory;
import io.netty.util.internal.logging.Log4J2LoggerFactory;
import io.netty.util.internal.logging.Log4JLoggerFactory;
import java.lang.reflect.Field;
import java.lang.reflect.InaccessibleObjectException;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * A logger of the engine: slf4j's if the program has slf4j and a provider that works, or else one
 * that does nothing. Messages have slf4j's form. What the program's logger throws is ignored: there
 * is nobody to tell, and it must not change the outcome of what is logged. Thread-safe.
 *
 * <p>The first use of slf4j without a provider prints a notice on stderr. A storage library should
 * not cause it. But if the program itself logs through slf4j, its author needs the notice. So
 * without a provider the engine, and Netty's buffers in it, do not touch slf4j at all, and the
 * program's own first use prints it. Without slf4j itself, as in a program that had leveldbjni's
 * jar and nothing else, the engine runs and logs nothing.
 */
public final class EngineLogger {
  private static final boolean HAS_PROVIDER = hasProvider() && startsProvider();

  private static final EngineLogger SILENT = new EngineLogger(null);

  private static volatile boolean nettyIsPrepared;

  private final @Nullable Logger target;

  EngineLogger(@Nullable Logger target) {
    this.target = target;
  }

  /** Returns the logger of a class. */
  public static EngineLogger of(Class<?> type) {
    return HAS_PROVIDER ? new EngineLogger(LoggerFactory.getLogger(type)) : SILENT;
  }

  /** Returns true if messages of level debug are logged. */
  public boolean isDebugEnabled() {
    return target != null && target.isDebugEnabled();
  }

  /** Returns true if messages of level info are logged. */
  public boolean isInfoEnabled() {
    return target != null && target.isInfoEnabled();
  }

  /** slf4j's levels, of which this class must not know if there is no slf4j. */
  private enum Level {
    DEBUG,
    INFO,
    WARN,
    ERROR
  }

  private void log(Level level, String format, @Nullable Object... arguments) {
    if (target == null) {
      return;
    }
    try {
      switch (level) {
        case DEBUG -> target.debug(format, arguments);
        case INFO -> target.info(format, arguments);
        case WARN -> target.warn(format, arguments);
        case ERROR -> target.error(format, arguments);
      }
    } catch (Throwable lost) {
      return;
    }
  }

  /** Logs what only somebody who looks for a fault wants to know. */
  public void debug(String format, @Nullable Object... arguments) {
    log(Level.DEBUG, format, arguments);
  }

  /** Logs what an operator may want to know. */
  public void info(String format, @Nullable Object... arguments) {
    log(Level.INFO, format, arguments);
  }

  /** Logs what an operator should look at. */
  public void warn(String format, @Nullable Object... arguments) {
    log(Level.WARN, format, arguments);
  }

  /** Logs a failure. */
  public void error(String format, @Nullable Object... arguments) {
    log(Level.ERROR, format, arguments);
  }

  /**
   * Lets Netty choose its logging as it does without slf4j, unless slf4j has a provider or the
   * program has chosen already. Called before each use of Netty that may be the first: not at the
   * open, because many processes need no block.
   */
  public static void prepareNetty() {
    if (!nettyIsPrepared) {
      if (!HAS_PROVIDER && !hasNettyFactory()) {
        InternalLoggerFactory.setDefaultFactory(nettyFallback());
      }
      nettyIsPrepared = true;
    }
  }

  private static InternalLoggerFactory nettyFallback() {
    if (exists("org.apache.logging.log4j.Logger", InternalLoggerFactory.class)) {
      return Log4J2LoggerFactory.INSTANCE;
    }
    return exists("org.apache.log4j.Logger", InternalLoggerFactory.class)
        ? Log4JLoggerFactory.INSTANCE
        : JdkLoggerFactory.INSTANCE;
  }

  private static boolean exists(String name, Class<?> beside) {
    try {
      Class.forName(name, false, beside.getClassLoader());
      return true;
    } catch (ClassNotFoundException | LinkageError e) {
      return false;
    }
  }

  /** Returns true if a factory was set. Netty's getter would set one, and touch slf4j for it. */
  private static boolean hasNettyFactory() {
    try {
      Field factory = InternalLoggerFactory.class.getDeclaredField("defaultFactory");
      factory.setAccessible(true);
      return factory.get(null) != null;
    } catch (ReflectiveOperationException | InaccessibleObjectException e) {
      return false; // as a named module, or another version of Netty
    }
  }

  private static boolean hasProvider() {
    if (!exists("org.slf4j.LoggerFactory", EngineLogger.class)) {
      return false;
    }
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

  /**
   * Returns false if the provider does not start, as that for log4j without log4j. slf4j 2 would
   * keep all later messages in memory.
   */
  private static boolean startsProvider() {
    try {
      return LoggerFactory.getLogger(EngineLogger.class) != null;
    } catch (LinkageError | RuntimeException e) {
      return false;
    }
  }
}

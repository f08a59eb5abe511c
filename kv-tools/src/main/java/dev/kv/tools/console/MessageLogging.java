package dev.kv.tools.console;

import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Prints what the engine logs as messages: errors, the warnings of a repair, and with --verbose
 * everything from debug level on.
 */
public final class MessageLogging implements SLF4JServiceProvider {
  /** The prefix of the names of kv's own loggers. */
  private static final String ENGINE = "dev.kv.";

  /** A repair reports what it skips in its log only. */
  private static final String REPAIR = "dev.kv.core.repair.";

  private static volatile boolean verbose;

  private final Map<String, MessageLogger> loggers = new ConcurrentHashMap<>();
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter contexts = new NOPMDCAdapter();

  /** Sets whether all levels of kv's loggers are printed. */
  public static void setVerbose(boolean verbose) {
    MessageLogging.verbose = verbose;
  }

  static boolean isVerbose() {
    return verbose;
  }

  static boolean isEnabled(Level level, String logger) {
    return level.toInt() >= least(logger).toInt();
  }

  private static Level least(String logger) {
    if (isVerbose() && logger.startsWith(ENGINE)) {
      return Level.DEBUG;
    }
    return logger.startsWith(REPAIR) ? Level.WARN : Level.ERROR;
  }

  @Override
  public void initialize() {
    // The fields are initialised already.
  }

  @Override
  public ILoggerFactory getLoggerFactory() {
    return name -> loggers.computeIfAbsent(name, MessageLogger::new);
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return contexts;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0";
  }
}

package dev.kv.tools.console;

import dev.kv.tools.text.Printable;
import org.jspecify.annotations.Nullable;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;

/**
 * A logger that prints messages on standard error, in printable ASCII; a failure is one line, and
 * with --verbose a stack trace. {@link MessageLogging} decides which levels are enabled.
 */
final class MessageLogger extends LegacyAbstractLogger {
  private static final long serialVersionUID = 1L;

  MessageLogger(String name) {
    this.name = name;
  }

  @Override
  public boolean isTraceEnabled() {
    return MessageLogging.isEnabled(Level.TRACE, name);
  }

  @Override
  public boolean isDebugEnabled() {
    return MessageLogging.isEnabled(Level.DEBUG, name);
  }

  @Override
  public boolean isInfoEnabled() {
    return MessageLogging.isEnabled(Level.INFO, name);
  }

  @Override
  public boolean isWarnEnabled() {
    return MessageLogging.isEnabled(Level.WARN, name);
  }

  @Override
  public boolean isErrorEnabled() {
    return MessageLogging.isEnabled(Level.ERROR, name);
  }

  @Override
  protected @Nullable String getFullyQualifiedCallerName() {
    return null;
  }

  @Override
  protected void handleNormalizedLoggingCall(
      Level level,
      @Nullable Marker marker,
      String pattern,
      Object @Nullable [] arguments,
      @Nullable Throwable thrown) {
    String text = level + " " + (MessageLogging.isVerbose() ? name + " - " : "");
    text +=
        FailureText.inShellWords(
            String.valueOf(MessageFormatter.basicArrayFormat(pattern, arguments)));
    if (thrown == null) {
      System.err.println(Printable.of(text));
    } else if (MessageLogging.isVerbose()) {
      System.err.println(Printable.of(text) + "\n" + FailureText.trace(thrown));
    } else {
      boolean quoted = text.contains(thrown.toString());
      System.err.println(Printable.of(text) + (quoted ? "" : ": " + FailureText.describe(thrown)));
    }
  }
}

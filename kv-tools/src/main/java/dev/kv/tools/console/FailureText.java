package dev.kv.tools.console;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.tools.text.Printable;
import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Failures of any kind as printable text. */
public final class FailureText {
  private FailureText() {}

  /** Returns one printable line that says what failed; it is empty if nothing is to be printed. */
  public static String describe(Throwable failure) {
    return Printable.of(text(failure));
  }

  /** Returns a stack trace; except line ends and tabs, everything in it is printable. */
  public static String trace(Throwable failure) {
    StringBuilder text = new StringBuilder();
    append(failure, text);
    return text.toString();
  }

  private static void append(Throwable failure, StringBuilder text) {
    text.append(Printable.of(failure.toString()));
    for (StackTraceElement frame : failure.getStackTrace()) {
      text.append("\n\tat ").append(frame);
    }
    for (Throwable suppressed : failure.getSuppressed()) {
      append(suppressed, text.append("\nSuppressed: "));
    }
    Throwable cause = failure.getCause();
    if (cause != null) {
      append(cause, text.append("\nCaused by: "));
    }
  }

  /**
   * Returns a message of the library with the remedy for a user of the command line instead of the
   * one for a program.
   */
  static String inShellWords(String message) {
    return message
        .replace(
            ", in this process or another: close it there, or open it here with DB.openReadOnly",
            " in another process: close it there; commands that only read work beside it")
        .replaceFirst("; Options\\.recoveryMode says[^(]*", "; 'kv repair' keeps what can be read ")
        .replace("; Options.createIfMissing creates it", "")
        .replace(", and Options.errorIfExists is set", "")
        .replace("; Options.createIfMissing creates one, DB.repair", "; 'kv repair'")
        .replace("DB.repair", "'kv repair'")
        .replace(
            "; db.admin().resume() tries the failed work again", "; remove the cause and try again")
        .replace("; db.admin().resume() tries it again", "")
        .replace("Options.comparator", "--comparator");
  }

  private static String outOfMemory(String message) {
    if (message.contains("direct buffer")) {
      return "the memory outside the heap is used up: "
          + message
          + "; give the JVM more: JAVA_OPTS=-XX:MaxDirectMemorySize=4g kv ...";
    }
    long mebibytes = Runtime.getRuntime().maxMemory() >> 20;
    return "the heap of "
        + mebibytes
        + " MiB is too small for this: give the JVM more: JAVA_OPTS=-Xmx"
        + Math.max(1, 4 * mebibytes / 1024)
        + "g kv ...";
  }

  /** Returns a message that quotes or lacks its cause with the text of the cause. */
  private static String withCause(String message, Throwable cause) {
    for (Throwable each = cause; each != null; each = each.getCause()) {
      if (each instanceof IOException && message.contains(each.toString())) {
        return message.replace(each.toString(), text(each));
      }
    }
    return cause instanceof IOException ? message + ": " + text(cause) : message;
  }

  private static String text(Throwable failure) {
    if (failure instanceof DBException) {
      String message = inShellWords(String.valueOf(failure.getMessage()));
      Throwable cause = failure.getCause();
      if (failure instanceof DBIOException && cause != null) {
        message = withCause(message, cause);
      }
      if (failure instanceof DBReadOnlyException && cause != null) {
        message = message.replace(", given as the cause", "") + ": " + text(cause);
      }
      if (failure instanceof OffHeapExhaustedException && cause instanceof OutOfMemoryError) {
        return message + "; give the JVM more memory: JAVA_OPTS=-XX:MaxDirectMemorySize=4g kv ...";
      }
      return failure instanceof CorruptionException && !message.contains("'kv repair'")
          ? message + "; 'kv verify' lists the damage, 'kv repair' keeps the rest"
          : message;
    }
    if (failure instanceof NoSuchFileException missing) {
      return missing.getFile() + ": no such file or directory";
    }
    if (failure instanceof AccessDeniedException denied) {
      return denied.getFile() + ": permission denied";
    }
    if (failure instanceof FileSystemException refused) {
      String reason = refused.getReason();
      return refused.getFile() + ": " + (reason == null ? name(refused) : reason);
    }
    String message = failure.getMessage();
    if (failure instanceof OutOfMemoryError) {
      return outOfMemory(String.valueOf(message));
    }
    return failure instanceof Failure
            || failure instanceof IOException
            || failure instanceof IllegalArgumentException
        ? String.valueOf(message)
        : name(failure) + (message == null ? "" : ": " + message);
  }

  private static String name(Throwable failure) {
    return failure.getClass().getSimpleName();
  }
}

package dev.kv.tools.database;

import dev.kv.DB;
import dev.kv.DBComparator;
import dev.kv.DBException;
import dev.kv.Options;
import dev.kv.UnsupportedFormatException;
import dev.kv.env.Env;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The arguments that name a database, and the ways to open it. */
public final class DatabaseArguments {
  @Spec(Target.MIXEE)
  private CommandSpec command;

  @Parameters(index = "0", paramLabel = "DIR", description = "The database's directory.")
  private Path directory;

  @Option(
      names = "--comparator",
      description =
          "Order keys bytewise or reverse (bytewise, descending), whatever name the MANIFEST holds.")
  private @Nullable KeyOrder order;

  /** Returns the directory that was named. */
  public Path directory() {
    return directory;
  }

  /** Returns the order that was asked for as the option spells it, or null. */
  public @Nullable String orderName() {
    return order == null ? null : order.name();
  }

  /** Returns the same arguments for another directory. */
  public DatabaseArguments at(Path other) {
    DatabaseArguments arguments = new DatabaseArguments();
    arguments.command = command;
    arguments.directory = other;
    arguments.order = order;
    return arguments;
  }

  /**
   * Opens for reading, in {@code env}: no LOCK, nothing written. Says so where a writer may be at
   * work.
   */
  public DB openReadOnly(Env env) {
    requireDatabase();
    noteWriter();
    return open(options().readOnly(true).env(env));
  }

  /**
   * Opens as {@link #openReadOnly} does, for a few reads: libraries that take long to load stay
   * out.
   */
  public DB openForLookups() {
    requireDatabase();
    noteWriter();
    return open(options().readOnly(true).nativeSnappy(false));
  }

  /** Opens for writing. */
  public DB openForWriting(boolean create) {
    return openForWriting(create, Env.fileSystem());
  }

  /** Opens for writing, in {@code env}. */
  public DB openForWriting(boolean create, Env env) {
    if (!create) {
      requireDatabase();
    } else if (Files.exists(directory)) {
      requireDirectory();
    }
    return open(options().createIfMissing(create).env(env));
  }

  /** Opens with the options given, which begin with {@link #options}. */
  DB open(Options.Builder options) {
    try {
      return DB.open(directory, options.build());
    } catch (UnsupportedFormatException e) {
      requireKnownOrder();
      throw e;
    }
  }

  /** Returns options with the comparator to use. */
  public Options.Builder options() {
    return Options.builder().comparator(comparator());
  }

  /** Says on standard error that a writer may be at work, where one is. */
  public void noteWriter() {
    if (DatabaseFiles.lockedByAnother(directory)) {
      command
          .commandLine()
          .getErr()
          .println("kv: another process has the database open: showing its state as of now");
    }
  }

  /** Returns the order to use: the one asked for under the name that the MANIFEST holds. */
  public DBComparator comparator() {
    if (order == null) {
      return DBComparator.bytewise();
    }
    return order.named(
        DatabaseFiles.isDatabase(directory)
            ? DatabaseFiles.comparatorName(directory)
            : order.defaultName());
  }

  /**
   * Returns the order to use, after a check that it can be the database's where that is readable.
   */
  public DBComparator requireComparator() {
    DBComparator comparator = DBComparator.bytewise();
    try {
      comparator = comparator();
    } catch (Failure | DBException unreadable) {
      if (order != null) {
        comparator = order.named(order.defaultName());
      }
    }
    requireKnownOrder();
    return comparator;
  }

  private void requireKnownOrder() {
    if (order != null) {
      return;
    }
    String name;
    try {
      name = DatabaseFiles.comparatorName(directory);
    } catch (Failure | DBException unreadable) {
      return;
    }
    if (!name.equals(DBComparator.bytewise().name())) {
      throw new Failure(
          directory
              + " is ordered by the comparator "
              + name
              + ": say by --comparator=reverse or --comparator=bytewise which order that is");
    }
  }

  /** Checks that the directory holds a database. */
  public void requireDatabase() {
    requireRemains();
    if (!DatabaseFiles.isDatabase(directory)) {
      throw new Failure(
          directory
              + ": a database that has lost its file CURRENT: 'kv repair' makes it open again");
    }
  }

  /** Checks that the directory holds a database, or what is left of one. */
  public void requireRemains() {
    requireDirectory();
    try {
      if (!DatabaseFiles.isDatabase(directory) && !DatabaseFiles.hasRemains(directory)) {
        throw new Failure(directory + ": not a database: it has no file CURRENT" + orCreate());
      }
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
  }

  /** Checks that the directory is one. */
  public void requireDirectory() {
    try {
      if (!Files.readAttributes(directory, BasicFileAttributes.class).isDirectory()) {
        throw new Failure(directory + ": not a directory");
      }
    } catch (NoSuchFileException missing) {
      throw new Failure(directory + ": no such directory" + orCreate());
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
  }

  /** Returns what can be done where there is no database, if the command can do it. */
  private String orCreate() {
    return command.findOption("--create") == null ? "" : "; --create makes a database there";
  }
}

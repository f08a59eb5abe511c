package dev.kv.tools.database;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.DatabaseFile;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.RecoveryMode;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import dev.kv.tools.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.Locale;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The arguments that name a database, and the ways to open the database. */
public final class DatabaseArguments {
  @Spec(Target.MIXEE)
  private CommandSpec command;

  @Parameters(index = "0", paramLabel = "DIR", description = "The database's directory.")
  private Path directory;

  @Option(
      names = "--comparator",
      description =
          "The order of the keys, if the MANIFEST names an unknown one: bytewise, or reverse "
              + "(bytewise and descending).")
  private @Nullable KeyOrder order;

  /** Returns the directory that was named. */
  public Path directory() {
    return directory;
  }

  /** Returns the value of --comparator, or null if it was not given. */
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
   * Opens for reading, in {@code env}, without LOCK and without writing. Prints a notice if a
   * writer has the database open.
   */
  public ReadOnlyDB openReadOnly(Env env) {
    return openReadOnly(options().env(env));
  }

  /**
   * Opens as {@link #openReadOnly} does, for a few reads: libraries that take long to load are not
   * used.
   */
  public ReadOnlyDB openForLookups() {
    return openReadOnly(options().tables(t -> t.nativeSnappy(false)));
  }

  private ReadOnlyDB openReadOnly(Options.Builder options) {
    requireDatabase();
    boolean written = noteWriter();
    ReadOnlyDB db = opened(() -> DB.openReadOnly(directory, options.build()));
    DBStats.Recovery recovery = db.admin().stats().recovery();
    if (!written && recovery.droppedBytes() > 0) { // a writer may be writing these
      note(
          recovery.droppedBytes()
              + " bytes are left out: "
              + Printable.of(recovery.reason())
              + "; 'kv verify' says more");
    }
    return db;
  }

  /**
   * Checks, before input is read, that a database can be opened for writing or created.
   *
   * @throws Failure if there is none and none is to be created, the directory is a file, a new
   *     database would delete a log that is there, a write would end a change feed, or no table
   *     confirms the order that --comparator tells
   */
  public void requireTarget(boolean create, ChangeFeedArguments feed) {
    if (!create) {
      requireDatabase();
    } else if (DatabaseFiles.exists(directory)) {
      requireDirectory();
      requireNoLog();
    }
    requireConfirmedOrder();
    feed.require(directory);
  }

  private void requireNoLog() {
    try {
      if (!DatabaseFiles.isDatabase(directory)
          && DatabaseFiles.bytes(directory, DatabaseFile.Kind.LOG) > 0) {
        throw new Failure(
            directory
                + ": has a log, but no file CURRENT; a new database would delete the log: name"
                + " another directory"
                + (DatabaseFiles.hasRemains(directory) ? ", or run 'kv repair'" : ""));
      }
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
  }

  /**
   * Returns what deletes the database again that a following open creates, for a command that fails
   * before it has put anything. It does nothing if there are files of a database now, even without
   * CURRENT. A directory that exists now stays.
   */
  public Runnable undoOfCreate() {
    if (!DatabaseFiles.exists(directory)) {
      return () -> DB.destroy(directory, options().build());
    }
    try {
      if (!DatabaseFiles.files(directory).isEmpty()) {
        return () -> {};
      }
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
    Env keepsDirectories =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public void deleteDirectory(Path kept) {
            // it was there before the database
          }
        };
    return () -> DB.destroy(directory, options().env(keepsDirectories).build());
  }

  /**
   * Opens for writing with such options, writes, and closes. If the write fails, a database that
   * this has created is deleted again.
   */
  public void write(
      boolean create, ChangeFeedArguments feed, Options.Builder options, Consumer<DB> write) {
    Runnable undoCreate = undoOfCreate();
    boolean opened = false;
    boolean done = false;
    try (DB db = openForWriting(create, feed, options)) {
      opened = true;
      write.accept(db);
      done = true;
    } finally {
      if (opened && !done) {
        undoCreate.run();
      }
    }
  }

  /** Opens for writing. */
  public DB openForWriting(boolean create, ChangeFeedArguments feed) {
    return openForWriting(create, feed, options());
  }

  /** Opens for writing, with options that were made from {@link #options}. */
  public DB openForWriting(boolean create, ChangeFeedArguments feed, Options.Builder options) {
    requireTarget(create, feed);
    return open(options.createIfMissing(create));
  }

  /** Refuses to drop whole records of a damaged log, which would move the log to {@code lost/}. */
  private DB open(Options.Builder options) {
    options.recoveryMode(RecoveryMode.STRICT);
    return opened(() -> DB.open(directory, options.build()));
  }

  private <D> D opened(Supplier<D> opener) {
    try {
      return opener.get();
    } catch (UnsupportedFormatException e) {
      requireKnownOrder();
      throw e;
    }
  }

  /** Returns options with the comparator to use, and the suffix of the tables that are there. */
  public Options.Builder options() {
    return options(comparator());
  }

  /** Returns options with a comparator, and the suffix of the tables that are there. */
  public Options.Builder options(DBComparator comparator) {
    return Options.builder()
        .comparator(comparator)
        .tables(tables -> tables.suffix(DatabaseFiles.suffix(directory)));
  }

  /**
   * Prints a notice on standard error if a writer has the database open.
   *
   * @return true if one has
   */
  public boolean noteWriter() {
    boolean written = DatabaseFiles.lockedByAnother(directory);
    if (written) {
      note("another process has the database open: showing its state at this moment");
    }
    return written;
  }

  private void note(String text) {
    command.commandLine().getErr().println("kv: " + text);
  }

  /**
   * Returns the order to use, under the name that the MANIFEST holds. It is the one that
   * --comparator selects; without the option it is reverse if the MANIFEST, or a table if that
   * cannot be read, names kv's own reverse order, else bytewise.
   *
   * @throws Failure if --comparator contradicts a name that kv knows: writes would be in two orders
   */
  public DBComparator comparator() {
    if (order == null) {
      return knownOrder() == KeyOrder.REVERSE ? KeyOrder.REVERSE.named() : DBComparator.bytewise();
    }
    return named(order, DatabaseFiles.comparatorName(directory));
  }

  /** Returns an order under the name that the MANIFEST has, or under its own if that is null. */
  private DBComparator named(KeyOrder told, @Nullable String name) {
    KeyOrder known = name == null ? told : KeyOrder.of(name);
    if (known != null && known != told) {
      throw new Failure(
          directory
              + ": has the order of "
              + name
              + ", and --comparator says "
              + told.defaultName()
              + ": leave it out");
    }
    return told.named(name == null ? told.defaultName() : name);
  }

  /** Returns the order that the MANIFEST or a table names; null if it is another, or unknown. */
  public @Nullable KeyOrder knownOrder() {
    String name = DatabaseFiles.readableComparatorName(directory);
    return name == null ? null : KeyOrder.of(name);
  }

  /**
   * Returns the order to use; a damaged MANIFEST does not fail this.
   *
   * @throws Failure if the MANIFEST names an unknown order and there is no --comparator, or a known
   *     one that --comparator contradicts
   */
  public DBComparator requireComparator() {
    if (order != null) {
      return named(order, DatabaseFiles.readableComparatorName(directory));
    }
    requireKnownOrder();
    return comparator();
  }

  /** Prints a notice if {@link #requireComparator} is a guess. */
  public void noteGuessedOrder() {
    if (order == null && DatabaseFiles.readableComparatorName(directory) == null) {
      note("nothing tells the order of the keys: taken as bytewise; --comparator tells another");
    }
  }

  private void requireKnownOrder() {
    if (order != null) {
      return;
    }
    String name = DatabaseFiles.readableComparatorName(directory);
    if (name != null && KeyOrder.of(name) == null) {
      throw new Failure(
          directory
              + " is ordered by the comparator "
              + name
              + ": tell by --comparator=reverse or --comparator=bytewise which order that is; if"
              + " it is neither, use the program that has it");
    }
  }

  /**
   * Checks, before a database is changed, the order that --comparator tells for a comparator that
   * kv does not know. With entries in another order, the program that has it reads wrong answers.
   *
   * @throws Failure if no table has entries in that order
   */
  public void requireConfirmedOrder() {
    requireOrder(true);
  }

  /**
   * Checks, before a database is copied, the order that --comparator tells for a comparator that kv
   * does not know. A copy of entries that were read in another order has the wrong ones.
   *
   * @throws Failure if a table has entries that are not in that order
   */
  public void requireNoOtherOrder() {
    requireOrder(false);
  }

  private void requireOrder(boolean confirmed) {
    String name = order == null ? null : DatabaseFiles.readableComparatorName(directory);
    if (order == null || name == null || KeyOrder.of(name) != null) {
      return;
    }
    try {
      Boolean found = TableOrder.confirms(directory, order);
      if (found == null ? confirmed : !found) {
        throw new Failure(
            directory
                + " is ordered by the comparator "
                + name
                + ", and no table confirms that its order is "
                + order.name().toLowerCase(Locale.ROOT)
                + ": if it is neither bytewise nor reverse, use the program that has it");
      }
    } catch (IOException unreadable) {
      throw new Failure(FailureText.describe(unreadable));
    }
  }

  /**
   * Checks that the directory holds a database.
   *
   * @throws Failure if it does not
   */
  public void requireDatabase() {
    requireRemains();
    if (!DatabaseFiles.isDatabase(directory)) {
      throw new Failure(
          directory + ": a database without its file CURRENT: 'kv repair' makes it open again");
    }
  }

  /**
   * Checks that the directory holds a database, or files of one.
   *
   * @throws Failure if it does not
   */
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

  /**
   * Checks that the directory exists and is a directory.
   *
   * @throws Failure if it is not
   */
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

  /** Returns the remedy for a missing database, if the command has one. */
  private String orCreate() {
    return command.findOption("--create") == null ? "" : "; --create creates a database there";
  }

  /** Returns true for a line of the shell, which reads standard input itself. */
  public boolean isInShell() {
    return command.parent() == null;
  }

  /** Returns the exception for arguments that do not fit the database. */
  public ParameterException wrongUsage(String message) {
    return new ParameterException(command.commandLine(), message);
  }
}

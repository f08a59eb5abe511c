package dev.kv.tools;

import dev.kv.DB;
import dev.kv.DBComparator;
import dev.kv.Options;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import picocli.CommandLine.Spec.Target;

/** The arguments that name a database, and the ways to open it. */
final class DatabaseArguments {
  @Spec(Target.MIXEE)
  private CommandSpec command;

  @Parameters(index = "0", paramLabel = "DIR", description = "The database's directory.")
  private Path directory;

  @Option(
      names = "--comparator",
      description =
          "Order keys bytewise or reverse (bytewise, descending), whatever name the MANIFEST holds.")
  private @Nullable KeyOrder order;

  Path directory() {
    return directory;
  }

  /** Opens for reading: no LOCK, nothing written. Says so where a writer may be at work. */
  DB openReadOnly() {
    requireDatabase();
    if (DatabaseFiles.lockedByAnother(directory)) {
      command
          .commandLine()
          .getErr()
          .println("kv: another process has the database open: showing its state as of now");
    }
    return DB.open(directory, options().readOnly(true).build());
  }

  /** Opens for writing. */
  DB openForWriting(boolean create) {
    if (!create) {
      requireDatabase();
    }
    return DB.open(directory, options().createIfMissing(create).build());
  }

  private Options.Builder options() {
    return Options.builder().comparator(comparator());
  }

  /** Returns the order to use: the one asked for under the name that the MANIFEST holds. */
  DBComparator comparator() {
    if (order == null) {
      return DBComparator.bytewise();
    }
    return order.named(
        DatabaseFiles.isDatabase(directory)
            ? DatabaseFiles.comparatorName(directory)
            : order.defaultName());
  }

  private void requireDatabase() {
    if (!Files.exists(directory)) {
      throw new Failure(directory + ": no such directory");
    }
    if (!Files.isDirectory(directory)) {
      throw new Failure(directory + ": not a directory");
    }
    if (!DatabaseFiles.isDatabase(directory)) {
      throw new Failure(directory + ": not a database: it has no CURRENT file");
    }
  }
}

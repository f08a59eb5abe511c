package dev.kv.tools.backup;

import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.backup.Backup;
import dev.kv.env.Env;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Quantity;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Makes a backup of a database, which another process may have open. */
@Command(
    name = "create",
    description =
        "Make a backup of a database. Another process may have the database open and write to it;"
            + " the backup then holds its state at one moment.",
    mixinStandardHelpOptions = true)
final class CreateCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Parameters(
      index = "1",
      paramLabel = "BACKUPS",
      description = "The directory of the backups; created if it does not exist.")
  private Path directory;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    BackupDirectory target = new BackupDirectory(directory);
    try (ReadOnlyDB db = database.openReadOnly(Env.fileSystem())) {
      long bytes = db.admin().stats().levels().stream().mapToLong(DBStats.Level::bytes).sum();
      Backup made =
          target.run("backup", bytes, progress -> target.backups().create(db.admin(), progress));
      if (json) {
        System.out.println(Json.of(BackupDirectory.members(made)));
        return 0;
      }
      System.out.println(
          "backup "
              + made.number()
              + ": sequence "
              + made.sequence()
              + ", "
              + Quantity.of(made.files(), "file")
              + ", "
              + Quantity.of(made.bytes(), "byte")
              + ", "
              + made.addedBytes()
              + " of them new");
    }
    return 0;
  }
}

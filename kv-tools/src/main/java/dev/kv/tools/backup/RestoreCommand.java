package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Quantity;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Restores a backup as a new database. */
@Command(
    name = "restore",
    description =
        "Restore a backup to a directory that does not exist yet. The directory is named"
            + " TARGET.partial until it is complete.",
    mixinStandardHelpOptions = true)
final class RestoreCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of the backups.")
  private Path directory;

  @Parameters(index = "1", paramLabel = "TARGET", description = "The new database's directory.")
  private Path target;

  @Option(
      names = "--backup",
      paramLabel = "N",
      description = "The number of the backup; default the newest.")
  private @Nullable Long number;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() {
    BackupDirectory source = new BackupDirectory(directory);
    Backup chosen = source.find(number);
    source.run(
        "restore",
        chosen.bytes(),
        progress -> {
          source.backups().restore(chosen.number(), target, progress);
          return chosen;
        });
    if (json) {
      System.out.println(Json.of(BackupDirectory.members(chosen)));
      return 0;
    }
    System.out.println(
        "backup "
            + chosen.number()
            + " restored: sequence "
            + chosen.sequence()
            + ", "
            + Quantity.of(chosen.files(), "file")
            + ", "
            + Quantity.of(chosen.bytes(), "byte"));
    return 0;
  }
}

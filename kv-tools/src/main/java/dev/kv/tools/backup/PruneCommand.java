package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Deletes all backups except the newest ones. */
@Command(
    name = "prune",
    description =
        "Delete all backups except the newest ones, and the files that no backup needs any more.",
    mixinStandardHelpOptions = true)
final class PruneCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of the backups.")
  private Path directory;

  @Option(
      names = "--keep",
      paramLabel = "N",
      required = true,
      description = "How many backups to keep.")
  private int keep;

  @Option(names = "--json", description = "Print one JSON object for each deleted backup.")
  private boolean json;

  @Override
  public Integer call() {
    if (keep < 1) {
      throw new ParameterException(spec.commandLine(), "--keep must be at least 1");
    }
    List<Backup> deleted = new BackupDirectory(directory).run(backups -> backups.prune(keep));
    try (Output out = new Output()) {
      for (Backup each : deleted) {
        out.line(json ? Json.of(BackupDirectory.members(each)) : "deleted backup " + each.number());
      }
    }
    return 0;
  }
}

package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the backups in a directory. */
@Command(
    name = "list",
    description = "List the backups, the oldest first.",
    mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of the backups.")
  private Path directory;

  @Option(names = "--json", description = "Print one JSON object for each backup.")
  private boolean json;

  @Override
  public Integer call() {
    List<Backup> all = new BackupDirectory(directory).list();
    try (Output out = new Output()) {
      String form = "%6s  %-24s  %12s  %6s  %14s  %14s";
      if (!json) {
        out.line(
            String.format(
                Locale.ROOT, form, "number", "created", "sequence", "files", "bytes", "new bytes"));
      }
      for (Backup each : all) {
        out.line(
            json
                ? Json.of(BackupDirectory.members(each))
                : String.format(
                    Locale.ROOT,
                    form,
                    each.number(),
                    each.created(),
                    each.sequence(),
                    each.files(),
                    each.bytes(),
                    each.addedBytes()));
      }
    }
    return 0;
  }
}

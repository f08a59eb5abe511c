package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.NoSuchBackupException;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Lists the backups in a directory. */
@Command(
    name = "list",
    description = "List the backups, the oldest first. The exit code is 1 if a list is damaged.",
    mixinStandardHelpOptions = true)
final class ListCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of the backups.")
  private Path directory;

  @Option(names = "--json", description = "Print one JSON object for each backup.")
  private boolean json;

  @Override
  public Integer call() {
    BackupDirectory source = new BackupDirectory(directory);
    List<Long> all = source.numbers();
    boolean good = true;
    try (Output out = new Output()) {
      String form = "%6s  %-24s  %12s  %6s  %14s  %14s";
      if (!json) {
        out.line(
            String.format(
                Locale.ROOT, form, "number", "created", "sequence", "files", "bytes", "new bytes"));
      }
      for (long each : all) {
        try {
          print(source.backups().get(each), form, out);
        } catch (NoSuchBackupException pruned) {
          continue;
        } catch (CorruptionException damaged) {
          good = false;
          Map<String, Object> members = new LinkedHashMap<>();
          members.put("backup", each);
          members.put("damaged", damaged.file());
          String text = "%6d  its list is damaged: %s";
          out.line(
              json
                  ? Json.of(members)
                  : String.format(Locale.ROOT, text, each, Printable.of(damaged.file())));
        }
      }
    }
    return good ? 0 : 1;
  }

  private void print(Backup backup, String form, Output out) {
    out.line(
        json
            ? Json.of(BackupDirectory.members(backup))
            : String.format(
                Locale.ROOT,
                form,
                backup.number(),
                backup.created(),
                backup.sequence(),
                backup.files(),
                backup.bytes(),
                backup.addedBytes()));
  }
}

package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Compares the files of backups with their checksums. */
@Command(
    name = "verify",
    description =
        "Read every file of the backups and compare it with its checksum. The exit code is 1 if a"
            + " file is missing or damaged.",
    mixinStandardHelpOptions = true)
final class VerifyCommand implements Callable<Integer> {
  @Parameters(index = "0", paramLabel = "BACKUPS", description = "The directory of the backups.")
  private Path directory;

  @Option(
      names = "--backup",
      paramLabel = "N",
      description = "The number of the backup; default all backups.")
  private @Nullable Long number;

  @Option(names = "--json", description = "Print one JSON object for each backup.")
  private boolean json;

  @Override
  public Integer call() {
    BackupDirectory source = new BackupDirectory(directory);
    List<Backup> chosen = number == null ? source.list() : List.of(source.find(number));
    boolean good = true;
    try (Output out = new Output()) {
      for (Backup each : chosen) {
        List<Path> damaged =
            source.run(
                "verify",
                each.bytes(),
                progress -> source.backups().verify(each.number(), progress));
        good &= damaged.isEmpty();
        if (json) {
          Map<String, Object> members = BackupDirectory.members(each);
          members.put("good", damaged.isEmpty());
          members.put("damaged", damaged.stream().map(Path::toString).toList());
          out.line(Json.of(members));
          continue;
        }
        out.line("backup " + each.number() + ": " + (damaged.isEmpty() ? "good" : "damaged"));
        damaged.forEach(file -> out.line("  missing or damaged: " + file));
      }
    }
    return good ? 0 : 1;
  }
}

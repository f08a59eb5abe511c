package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
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
    List<Long> chosen = number == null ? source.numbers() : List.of(number);
    boolean good = true;
    try (Output out = new Output()) {
      for (long each : chosen) {
        good &=
            chosen.size() == 1 ? verify(source, source.find(each), out) : verify(source, each, out);
      }
    }
    return good ? 0 : 1;
  }

  /** Verifies one of several backups: a damaged list does not keep the others from it. */
  private boolean verify(BackupDirectory source, long wanted, Output out) {
    Backup backup;
    try {
      backup = source.backups().get(wanted);
    } catch (CorruptionException damage) {
      String text = Printable.of(String.valueOf(damage.getMessage()));
      Map<String, Object> members = new LinkedHashMap<>();
      members.put("backup", wanted);
      members.put("good", false);
      members.put("list", text);
      out.line(json ? Json.of(members) : "backup " + wanted + ": cannot be restored: " + text);
      return false;
    }
    return verify(source, backup, out);
  }

  private boolean verify(BackupDirectory source, Backup backup, Output out) {
    List<Path> damaged =
        source.run(
            "verify",
            backup.bytes(),
            progress -> source.backups().verify(backup.number(), progress));
    if (json) {
      Map<String, Object> members = BackupDirectory.members(backup);
      members.put("good", damaged.isEmpty());
      members.put("damaged", damaged.stream().map(Path::toString).toList());
      out.line(Json.of(members));
    } else {
      out.line("backup " + backup.number() + ": " + (damaged.isEmpty() ? "good" : "damaged"));
      damaged.forEach(file -> out.line("  missing or damaged: " + file));
    }
    return damaged.isEmpty();
  }
}

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
            + " file is missing or damaged, or cannot be read.",
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
        good &= verify(source, each, out);
      }
    }
    return good ? 0 : 1;
  }

  /** Verifies one backup; if its list is damaged, that is the damaged file. */
  private boolean verify(BackupDirectory source, long wanted, Output out) {
    Map<String, Object> members = new LinkedHashMap<>(Map.of("backup", wanted));
    List<String> damaged;
    try {
      Backup backup = source.get(wanted);
      members = BackupDirectory.members(backup);
      damaged = damaged(source, backup);
    } catch (CorruptionException list) {
      damaged = List.of(String.valueOf(list.file()));
    }
    if (json) {
      members.put("good", damaged.isEmpty());
      members.put("damaged", damaged);
      out.line(Json.of(members));
    } else {
      out.line("backup " + wanted + ": " + (damaged.isEmpty() ? "good" : "damaged"));
      damaged.forEach(file -> out.line("  missing or damaged: " + Printable.of(file)));
    }
    return damaged.isEmpty();
  }

  private static List<String> damaged(BackupDirectory source, Backup backup) {
    return source
        .run(
            "verify",
            backup.bytes(),
            progress -> source.backups().verify(backup.number(), progress))
        .stream()
        .map(Path::toString)
        .toList();
  }
}

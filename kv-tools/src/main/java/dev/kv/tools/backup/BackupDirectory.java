package dev.kv.tools.backup;

import dev.kv.backup.Backup;
import dev.kv.backup.Backups;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.NoSuchBackupException;
import dev.kv.event.ProgressListener;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Progress;
import dev.kv.tools.text.Printable;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** The directory of backups that a command works on. */
final class BackupDirectory {
  private final Path directory;
  private final Backups backups;

  BackupDirectory(Path directory) {
    this.directory = directory;
    this.backups = Backups.at(directory);
  }

  Backups backups() {
    return backups;
  }

  /**
   * Returns the numbers of the backups, ascending; their lists are not read.
   *
   * @throws Failure if there is none
   */
  List<Long> numbers() {
    List<Long> all = run(Backups::numbers);
    if (all.isEmpty()) {
      throw new Failure(directory + ": holds no backup");
    }
    return all;
  }

  /**
   * Returns the backup of that number. The lists of others may be damaged.
   *
   * @throws Failure if it does not exist
   * @throws CorruptionException if its list is damaged
   */
  Backup get(long number) {
    try {
      return backups.get(number);
    } catch (NoSuchBackupException e) {
      throw new Failure(e.getMessage() + "; 'kv backup list' lists them");
    }
  }

  /**
   * Returns the backup of that number, or the newest one if the number is null.
   *
   * @throws Failure if it does not exist, or its list is damaged
   */
  Backup find(@Nullable Long number) {
    List<Long> all = number == null ? numbers() : List.of(number);
    return run(unused -> get(all.get(all.size() - 1)));
  }

  /** Returns what a backup is as the members of a JSON object. */
  static Map<String, Object> members(Backup backup) {
    Map<String, Object> members = new LinkedHashMap<>();
    members.put("backup", backup.number());
    members.put("created", backup.created());
    members.put("sequence", backup.sequence());
    members.put("files", backup.files());
    members.put("bytes", backup.bytes());
    members.put("addedBytes", backup.addedBytes());
    return members;
  }

  /**
   * Runs an operation; damage is described for a user of backups.
   *
   * @throws Failure if a file of the backups is damaged
   */
  <T> T run(Function<Backups, T> operation) {
    try {
      return operation.apply(backups);
    } catch (CorruptionException damage) {
      throw new Failure(Printable.of(String.valueOf(damage.getMessage())) + remedy(damage));
    }
  }

  /** Returns what to do about damage, if its message does not say it. */
  private String remedy(CorruptionException damage) {
    if (String.valueOf(damage.getMessage()).contains("move it away")) {
      return "";
    }
    String verify = "; 'kv backup verify' tells which backups are good";
    return isList(damage.file())
        ? verify + "; to go on without this backup, move the file to another directory"
        : verify;
  }

  private boolean isList(@Nullable String file) {
    return file != null && directory.equals(Path.of(file).getParent());
  }

  /** Runs an operation, shows its progress, and ends it if the command is cancelled. */
  <T> T run(String task, long bytes, Function<ProgressListener, T> operation) {
    AtomicLong done = new AtomicLong();
    try (Progress progress = Progress.of(task, Progress.Unit.BYTES, bytes, done::get)) {
      progress.begin();
      return run(
          unused ->
              operation.apply(
                  (now, total) -> {
                    Cancellation.check();
                    done.set(now);
                  }));
    }
  }
}

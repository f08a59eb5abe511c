package dev.kv.core.checkpoint;

import dev.kv.admin.LiveFiles;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.manifest.CurrentFile;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.Undo;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.state.WriteAheadLog;
import dev.kv.core.table.cache.TablePath;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Version;
import dev.kv.core.write.CommitPipeline;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * Determines the files that a database, open for writing, consists of at one moment. Thread-safe.
 *
 * <pre>
 * The files are what loss of power at that moment would leave if all of their bytes were durable:
 *
 *   the tables of the current version         they never change
 *   the MANIFEST up to its present length     its records describe that version
 *   the logs from the version's log number    up to their present lengths
 *
 *  1. The lengths of the logs are read with exclusive access to the commit queue, between two
 *     groups. So every write up to the last sequence number S is in a table or in one of these
 *     logs, no write after S is in any of them, and each log ends with a whole record.
 *  2. Still with this access, the version and the length of the MANIFEST are read under the lock of
 *     version installs. So they fit each other: the logs whose file number is below the version's
 *     log number are completely in its tables. A flush that is installed between 1 and 2 makes logs
 *     superfluous, and adds nothing that they did not have.
 *  3. A change of the tree that does not pass the log is installed with exclusive access too, so it
 *     is in the version if and only if it has a sequence number up to S.
 *  4. Before access and lock are released, the version is retained, which keeps its tables, and a
 *     hold keeps the logs and the MANIFEST. Bytes before the lengths never change.
 * </pre>
 *
 * An open of these files is a recovery like any other. It brings back the writes up to S, no more
 * and no less. Both locks are held for as long as it takes to read a few numbers, unless an install
 * is just writing its record. There is no flush: checkpoints leave no small tables in level 0.
 */
public final class FileCapture {
  private final DatabaseContext context;
  private final VersionSet versions;
  private final WriteAheadLog logs;
  private final ObsoleteFiles obsolete;
  private final CommitPipeline commits;

  /** Creates the capture of one database. */
  public FileCapture(DatabaseFiles files, CommitPipeline commits) {
    this.context = files.context();
    this.versions = files.versions();
    this.logs = files.logs();
    this.obsolete = files.obsolete();
    this.commits = commits;
  }

  /** What is read while no thread writes. */
  private record Moment(
      long sequence,
      Map<Path, Long> logs,
      VersionSet.Described described,
      ObsoleteFiles.Hold hold) {}

  /** Returns the files of this moment; the caller closes them. */
  public LiveFiles capture() {
    Moment moment = observe();
    try (Undo undo = new Undo(() -> release(moment))) {
      LiveFiles files = new FileList(moment.sequence(), filesOf(moment), () -> release(moment));
      undo.cancel();
      return files;
    } catch (IOException e) {
      throw new DBIOException(
          "cannot list the files of the database in " + context.directory() + ": " + e, e);
    }
  }

  private Moment observe() {
    try (ExclusiveWriter writer = commits.exclusive()) {
      writer.requireLog();
      long lastSequence = writer.lastSequence();
      Map<Path, Long> lengths = logs.lengths();
      return versions.describe(
          now -> {
            ObsoleteFiles.Hold hold = new ObsoleteFiles.Hold(now.logNumber(), now.manifestNumber());
            obsolete.hold(hold);
            return new Moment(lastSequence, lengths, now, hold);
          });
    }
  }

  /**
   * Ends the protection. If the version is not current any more, its release makes the maintenance
   * thread delete what is obsolete. Nothing is deleted here: the database may be closed.
   */
  private void release(Moment moment) {
    obsolete.release(moment.hold());
    moment.described().version().release();
  }

  private List<LiveFiles.File> filesOf(Moment moment) throws IOException {
    Path directory = context.directory();
    List<LiveFiles.File> files = new ArrayList<>();
    Version version = moment.described().version();
    TableSuffix suffix = context.options().tables().suffix();
    for (FileMetadata table : version.files()) {
      Path path = TablePath.find(context.env(), directory, table, suffix).path();
      files.add(new FilePrefix(context.env(), path, table.size(), true));
    }
    moment
        .logs()
        .forEach(
            (log, length) -> {
              FileName name = FileNames.parse(String.valueOf(log.getFileName()));
              if (name != null && name.number() >= moment.described().logNumber()) {
                files.add(new FilePrefix(context.env(), log, length, false));
              }
            });
    long manifest = moment.described().manifestNumber();
    files.add(
        new FilePrefix(
            context.env(),
            FileNames.manifest(directory, manifest),
            moment.described().manifestLength(),
            false));
    Env scratch = Env.inMemory();
    scratch.createDirectory(directory);
    CurrentFile.write(scratch, directory, manifest);
    Path current = FileNames.current(directory);
    files.add(new FilePrefix(scratch, current, scratch.size(current), false));
    return files;
  }
}

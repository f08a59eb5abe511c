package dev.kv.core.state;

import dev.kv.core.manifest.VersionSet;
import dev.kv.core.write.ErrorHandler;
import org.jspecify.annotations.Nullable;

/**
 * The files of one open database: the versions of its tree, its logs, and what deletes obsolete
 * files, with the lock and the error handler that guard them.
 *
 * @param retained the logs that readers of changes need, or null if there are no such readers
 */
public record DatabaseFiles(
    DatabaseContext context,
    ErrorHandler errors,
    Monitor monitor,
    Wakeups wakeups,
    VersionSet versions,
    @Nullable RetainedLogs retained,
    ObsoleteFiles obsolete,
    WriteAheadLog logs) {

  /** Creates the objects of a database that is being opened. Reads and writes nothing yet. */
  public static DatabaseFiles of(DatabaseContext context) {
    ErrorHandler errors = new ErrorHandler(context.events());
    Wakeups wakeups = new Wakeups();
    VersionSet versions = new VersionSet(context.manifestContext(), wakeups::versionFreed);
    RetainedLogs retained = RetainedLogs.of(context);
    ObsoleteFiles obsolete = new ObsoleteFiles(context, versions, errors, retained);
    WriteAheadLog logs =
        new WriteAheadLog(
            context, versions, obsolete, errors, retained, wakeups::maintenanceWanted);
    return new DatabaseFiles(
        context, errors, new Monitor(errors, wakeups), wakeups, versions, retained, obsolete, logs);
  }

  /** Frees what the open has created if it fails. */
  public void abandon() {
    logs.newLogs().deletePrepared();
    versions.close();
  }
}

package dev.kv.tools.verify;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.admin.DBStats;
import dev.kv.bytes.DBComparator;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.UnsupportedFormatException;
import dev.kv.options.RecoveryMode;
import dev.kv.tools.database.DatabaseFiles;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Asks the engine whether an open accepts a database, so that verify and an open never disagree.
 * The database is opened for reading only: the engine recovers the MANIFEST and the logs as it does
 * for writing, but takes no LOCK and changes nothing.
 */
final class OpenCheck {
  /** A writer beside this can make a file look damaged; the same damage twice is in the file. */
  private static final int ATTEMPTS = 100;

  private final Path directory;
  private final DBComparator order;

  OpenCheck(Path directory, DBComparator order) {
    this.directory = directory;
    this.order = order;
  }

  /**
   * Returns the damage for which an open refuses the database or drops records, or null if an open
   * accepts all of it. A write at the end of the last log that a crash cut off is no damage.
   */
  @Nullable Finding run() {
    DBException strict = failure(RecoveryMode.STRICT);
    if (strict == null) {
      return null;
    }
    DBException refused = failure(Options.DEFAULT.recoveryMode());
    return refused == null
        ? damage(strict, "an open drops " + dropped() + " bytes of records: ")
        : damage(refused, "an open refuses it: ");
  }

  /** Returns what is wrong in every attempt, or null if an attempt succeeds. */
  private @Nullable DBException failure(RecoveryMode mode) {
    String before = "";
    DBException failure = null;
    for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
      try {
        open(mode).close();
        return null;
      } catch (CorruptionException | UnsupportedFormatException e) {
        failure = e;
      } catch (DBException e) {
        if (!(e.getCause() instanceof NoSuchFileException)) {
          throw e;
        }
        failure = e;
      }
      if (before.equals(failure.toString())) {
        return failure;
      }
      before = failure.toString();
    }
    return failure;
  }

  private ReadOnlyDB open(RecoveryMode mode) {
    return DB.openReadOnly(
        directory, Options.builder().comparator(order).recoveryMode(mode).build());
  }

  private long dropped() {
    try (ReadOnlyDB db = open(Options.DEFAULT.recoveryMode())) {
      DBStats.Recovery recovery = db.admin().stats().recovery();
      return recovery.droppedBytes();
    }
  }

  private Finding damage(DBException e, String prefix) {
    String text = String.valueOf(e.getMessage());
    if (e instanceof CorruptionException corruption) {
      Finding damage = Finding.damage(Finding.baseName(corruption.file()), corruption);
      return Finding.damage(damage.file(), damage.offset(), prefix + withoutAdvice(damage.text()));
    }
    if (e.getCause() instanceof NoSuchFileException missing && missing.getFile() != null) {
      Path file = DatabaseFiles.missing(Path.of(missing.getFile()));
      return Finding.damage(
          Finding.baseName(file.toString()),
          CorruptionException.NO_OFFSET,
          prefix + "it " + Finding.absence(file));
    }
    String name = Finding.baseName(directory.toString());
    return e instanceof UnsupportedFormatException unsupported
        ? Finding.unsupported(name, CorruptionException.NO_OFFSET, unsupported)
        : Finding.damage(name, CorruptionException.NO_OFFSET, prefix + withoutAdvice(text));
  }

  /** Returns a message without what a program can do about it. */
  private static String withoutAdvice(String message) {
    String text = message.replaceFirst("^(MANIFEST|log|table): ", "");
    int advice = text.indexOf("; ");
    return advice < 0 ? text : text.substring(0, advice);
  }
}

package dev.kv.backup;

import dev.kv.admin.DBInspector;
import dev.kv.admin.LiveFiles;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchBackupException;
import dev.kv.errors.NotADirectoryException;
import dev.kv.event.ProgressListener;
import dev.kv.file.NewDirectory;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Backups of one database in one directory. Each is complete, and can be restored without the
 * database. A table that several backups contain is stored once, so a backup writes only what
 * changed since the last one. Thread-safe. {@link dev.kv.DB} says what holds for each call: null
 * arguments, arrays, interrupts, exceptions and threads.
 *
 * <pre>{@code
 * Backups backups = Backups.at(Path.of("/backups/orders"));
 * Backup made = backups.create(db.admin());
 * backups.verify(made.number());
 * backups.prune(7);
 * backups.restore(made.number(), Path.of("/data/restored"));
 * }</pre>
 *
 * <p>Writes to the database continue during {@link #create}. A process that does not have the
 * database open for writing opens it with {@link dev.kv.DB#openReadOnly}, while another process
 * writes to it, and passes that.
 *
 * <p>A table is known by its number, its size and a checksum of all of its bytes, because a
 * database can use a number again after a crash. So {@code create} reads all tables of the database
 * once, and writes the new ones. It reads a stored table again before it uses it for another
 * backup, and writes it again if it is damaged or cannot be read. Backups share no files with the
 * database.
 *
 * <p>One call of {@code create} or {@code prune} runs at a time; another one throws {@link
 * DBLockedException}. The other methods change nothing in the directory. A failure or the death of
 * the process leaves the earlier backups as they were, and the new one whole or absent.
 *
 * <p>Files that no backup needs are deleted only in a directory with at least one backup, only if
 * they have the names of stored files, and not through a symbolic link in the place of {@code
 * files}.
 *
 * <pre>
 * DIRECTORY/backup-000001     the list of the files of one backup, with checksums
 * DIRECTORY/files/            the files; the name ends in the size and the checksum
 * DIRECTORY/LOCK              held by create and prune
 * </pre>
 */
public final class Backups {
  private static final String FILES = "files";
  private static final String LOCK = "LOCK";
  private static final ProgressListener NONE = (done, total) -> {};

  private final Env env;
  private final Path directory;
  private final CatalogFolder catalogs;
  private final FileStore files;

  private Backups(Path directory, Env env) {
    this.env = Objects.requireNonNull(env, "env");
    this.directory = Objects.requireNonNull(directory, "directory");
    catalogs = new CatalogFolder(directory, env);
    files = new FileStore(directory.resolve(FILES), env);
  }

  /**
   * Returns the backups in a directory of the file system.
   *
   * @param directory the path of the directory; {@link #create} creates it
   * @return the backups
   */
  public static Backups at(Path directory) {
    return at(directory, Env.fileSystem());
  }

  /**
   * Returns the backups in a directory.
   *
   * @param directory the path of the directory; {@link #create} creates it
   * @param env the environment of the directory
   * @return the backups
   */
  public static Backups at(Path directory, Env env) {
    return new Backups(directory, env);
  }

  /**
   * Makes a backup of a database. Creates the directory of the backups if it does not exist, with
   * all missing parents.
   *
   * @param database {@link dev.kv.DB#admin} or {@link dev.kv.ReadOnlyDB#admin} of the database
   * @return the backup, durable
   * @throws DBLockedException if another {@code create} or {@code prune} runs in the directory
   * @throws CorruptionException if a list of an earlier backup is damaged, or a table is shorter
   *     than the database knows
   * @throws DBIOException if the file system fails
   * @throws IllegalArgumentException if the directory of the backups holds something else
   */
  public Backup create(DBInspector database) {
    return create(database, NONE);
  }

  /**
   * Makes a backup of a database, and reports the progress. See {@link #create(DBInspector)}.
   *
   * @param database {@link dev.kv.DB#admin} or {@link dev.kv.ReadOnlyDB#admin} of the database
   * @param progress receives how many bytes of the database are stored
   * @return the backup, durable
   * @throws DBLockedException if another {@code create} or {@code prune} runs in the directory
   * @throws CorruptionException if a list of an earlier backup is damaged, or a table is shorter
   *     than the database knows
   * @throws DBIOException if the file system fails
   * @throws IllegalArgumentException if the directory of the backups holds something else
   */
  public Backup create(DBInspector database, ProgressListener progress) {
    Objects.requireNonNull(database, "database");
    Objects.requireNonNull(progress, "progress");
    try {
      prepareDirectory();
      Env.Lock lock = lock();
      try (lock) {
        List<Catalog> earlier = catalogs.readAll();
        Catalog made = store(database, nextNumber(earlier), progress);
        List<Catalog> all = new ArrayList<>(earlier);
        all.add(made);
        files.deleteUnused(all);
        return made.backup();
      }
    } catch (IOException e) {
      throw failure("cannot make a backup in", e);
    }
  }

  /**
   * Returns the backups.
   *
   * @return the backups, the oldest first
   * @throws NoSuchBackupException if the directory does not exist
   * @throws CorruptionException if the list of a backup is damaged
   * @throws DBIOException if the file system fails
   */
  public List<Backup> list() {
    try {
      return catalogs.readPresent().stream().map(Catalog::backup).toList();
    } catch (IOException e) {
      throw failure("cannot list the backups in", e);
    }
  }

  /**
   * Returns the numbers of the backups, from the names of their lists, which are not read: one that
   * is damaged does not fail this.
   *
   * @return the numbers, ascending
   * @throws NoSuchBackupException if the directory does not exist
   * @throws CorruptionException if a file has almost the name of a list, so that it may be one
   * @throws DBIOException if the file system fails
   */
  public List<Long> numbers() {
    try {
      return catalogs.numbers();
    } catch (IOException e) {
      throw failure("cannot list the backups in", e);
    }
  }

  /**
   * Returns a backup. The lists of others are not read.
   *
   * @param number the number of the backup
   * @return the backup
   * @throws NoSuchBackupException if there is no such backup
   * @throws CorruptionException if its list is damaged
   * @throws DBIOException if the file system fails
   */
  public Backup get(long number) {
    try {
      return catalogs.read(number).backup();
    } catch (IOException e) {
      throw failure("cannot read the list of backup " + number + " in", e);
    }
  }

  /**
   * Reads all files of a backup and compares them with their checksums.
   *
   * @param number the number of the backup
   * @return the files that are missing or damaged, or cannot be read; empty if the backup is good
   * @throws NoSuchBackupException if there is no such backup
   * @throws CorruptionException if the list of the backup is damaged
   * @throws DBIOException if the file system fails
   */
  public List<Path> verify(long number) {
    return verify(number, NONE);
  }

  /**
   * Reads all files of a backup and compares them with their checksums, and reports the progress.
   *
   * @param number the number of the backup
   * @param progress receives how many bytes are read
   * @return the files that are missing or damaged, or cannot be read; empty if the backup is good
   * @throws NoSuchBackupException if there is no such backup
   * @throws CorruptionException if the list of the backup is damaged
   * @throws DBIOException if the file system fails
   */
  public List<Path> verify(long number, ProgressListener progress) {
    Objects.requireNonNull(progress, "progress");
    try {
      Catalog catalog = catalogs.read(number);
      Copier copier = new Copier(progress, catalog.backup().bytes());
      List<Path> damaged = new ArrayList<>();
      for (StoredFile file : catalog.files()) {
        if (!files.isGood(file, copier)) {
          damaged.add(files.path(file));
        }
        copier.skip(file.size());
      }
      if (!damaged.isEmpty()) {
        catalogs.read(number); // or it was pruned meanwhile
      }
      return Collections.unmodifiableList(damaged);
    } catch (IOException e) {
      throw failure("cannot verify backup " + number + " in", e);
    }
  }

  /**
   * Restores a backup as a new database. Every file is compared with its checksum. The database is
   * durable when this returns. If it fails or the process dies, the target does not exist; only if
   * the last sync fails, it is there, complete, and perhaps not durable. A directory with the
   * suffix {@code .partial} may be left beside it, which the next restore to that target deletes.
   *
   * @param number the number of the backup
   * @param target the path of the new database's directory, which must not exist; its parent must
   *     exist
   * @throws NoSuchBackupException if there is no such backup
   * @throws DatabaseExistsException if the target exists
   * @throws CorruptionException if a file of the backup is damaged or missing
   * @throws DBIOException if the file system fails
   */
  public void restore(long number, Path target) {
    restore(number, target, NONE);
  }

  /**
   * Restores a backup as a new database, and reports the progress. See {@link #restore(long,
   * Path)}.
   *
   * @param number the number of the backup
   * @param target the path of the new database's directory, which must not exist; its parent must
   *     exist
   * @param progress receives how many bytes are restored
   * @throws NoSuchBackupException if there is no such backup
   * @throws DatabaseExistsException if the target exists
   * @throws CorruptionException if a file of the backup is damaged or missing
   * @throws DBIOException if the file system fails
   */
  public void restore(long number, Path target, ProgressListener progress) {
    Objects.requireNonNull(target, "target");
    Objects.requireNonNull(progress, "progress");
    try {
      Catalog catalog = catalogs.read(number);
      Copier copier = new Copier(progress, catalog.backup().bytes());
      try (NewDirectory made = begin(target)) {
        for (StoredFile file : catalog.files()) {
          files.restore(file, made.path().resolve(file.name()), copier);
        }
        made.publish();
      } catch (CorruptionException e) {
        catalogs.read(number); // or it was pruned meanwhile
        throw e;
      }
    } catch (IOException e) {
      throw new DBIOException(
          "cannot restore backup " + number + " of " + directory + " to " + target + ": " + e, e);
    }
  }

  /**
   * Deletes all backups except the newest ones, and the files that no backup needs any more.
   *
   * @param keep how many backups to keep, at least 1
   * @return the deleted backups, the oldest first
   * @throws DBLockedException if another {@code create} or {@code prune} runs in the directory
   * @throws NoSuchBackupException if the directory does not exist or holds no backup
   * @throws CorruptionException if the list of a backup is damaged; nothing is deleted
   * @throws DBIOException if the file system fails
   * @throws IllegalArgumentException if {@code keep} is less than 1
   */
  public List<Backup> prune(int keep) {
    if (keep < 1) {
      throw new IllegalArgumentException("keep is " + keep + ", must be at least 1");
    }
    try {
      files.requireNoLink();
      if (!env.exists(directory.resolve(LOCK))) {
        // Before a LOCK is left in a directory of something else
        requireAny(catalogs.readPresent());
      }
      Env.Lock lock = lock();
      try (lock) {
        List<Catalog> all = requireAny(catalogs.readAll());
        int surplus = Math.max(0, all.size() - keep);
        List<Catalog> deleted = all.subList(0, surplus);
        for (Catalog catalog : deleted) {
          catalogs.delete(catalog);
        }
        env.syncDirectory(directory); // before the files: a list that names missing files is damage
        files.deleteUnused(all.subList(surplus, all.size()));
        return deleted.stream().map(Catalog::backup).toList();
      }
    } catch (IOException e) {
      throw failure("cannot prune the backups in", e);
    }
  }

  private List<Catalog> requireAny(List<Catalog> found) {
    if (found.isEmpty()) {
      throw new NoSuchBackupException("there are no backups in " + directory, directory.toString());
    }
    return found;
  }

  private Env.Lock lock() throws IOException {
    Env.Lock lock = env.lock(directory.resolve(LOCK));
    if (lock == null) {
      throw new DBLockedException(
          "the backups in " + directory + " are being changed by another thread or process");
    }
    return lock;
  }

  /** Creates the directory, or checks that it holds backups or nothing. */
  private void prepareDirectory() throws IOException {
    files.requireNoLink();
    if (env.exists(directory)) {
      for (String name : env.list(directory)) {
        if (!name.equals(FILES) && !name.equals(LOCK) && !CatalogFolder.isItsFile(name)) {
          throw otherFile(directory.resolve(name));
        }
      }
      if (!catalogs.readPresent().isEmpty()) {
        files.createIfMissing();
        env.syncDirectory(directory); // the store before a list that names its files
        return;
      }
      files.requireNoOtherFile();
    }
    NewDirectory.createDurably(env, directory);
    files.createIfMissing();
    env.syncDirectory(directory);
  }

  /** Returns the exception for a file that is not part of backups. */
  static IllegalArgumentException otherFile(Path file) {
    return new IllegalArgumentException(
        "a directory of backups holds nothing else, and there is "
            + file
            + ": name an empty or a new directory");
  }

  private long nextNumber(List<Catalog> earlier) throws IOException {
    long last = earlier.isEmpty() ? 0 : earlier.get(earlier.size() - 1).backup().number();
    if (last == CatalogFolder.MAX_NUMBER) {
      throw new FileSystemException(
          directory.toString(), null, "no number after " + last + " is left: use a new directory");
    }
    return last + 1;
  }

  private Catalog store(DBInspector database, long number, ProgressListener progress)
      throws IOException {
    Instant created = Instant.now().truncatedTo(ChronoUnit.MILLIS);
    List<StoredFile> stored = new ArrayList<>();
    long added = 0;
    long sequence;
    try (LiveFiles live = database.suspendDeletions()) {
      sequence = live.sequence();
      long total = live.files().stream().mapToLong(LiveFiles.File::size).sum();
      Copier copier = new Copier(progress, total);
      Set<String> present = files.namesAndSizes();
      for (LiveFiles.File file : live.files()) {
        StoredFile known = files.find(file, present, copier);
        if (known == null) {
          known = files.add(file, copier);
          added += known.size();
        } else {
          copier.skip(known.size());
        }
        stored.add(known);
      }
    }
    files.sync();
    long bytes = stored.stream().mapToLong(StoredFile::size).sum();
    Catalog catalog =
        new Catalog(new Backup(number, created, sequence, stored.size(), bytes, added), stored);
    catalogs.write(catalog);
    return catalog;
  }

  private NewDirectory begin(Path target) throws IOException {
    try {
      return NewDirectory.begin(env, target);
    } catch (FileAlreadyExistsException e) {
      throw new DatabaseExistsException(
          "nothing is restored to " + target + ", which exists already: name a new directory",
          target.toString(),
          e);
    }
  }

  private RuntimeException failure(String what, IOException e) {
    return e instanceof NotDirectoryException other
        ? new NotADirectoryException(
            "there are no backups: " + other.getFile() + " is not a directory", other.getFile(), e)
        : new DBIOException(what + " " + directory + ": " + e, e);
  }
}

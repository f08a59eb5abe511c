package dev.kv.backup;

import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.NoSuchBackupException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.regex.Pattern;

/** The catalogs of the backups in their directory: one file for each backup. Thread-safe. */
final class CatalogFolder {
  private static final String PREFIX = "backup-";
  private static final Pattern NUMBER = Pattern.compile("0[0-9]{5}|[1-9][0-9]{5,17}");

  /** The highest number of a backup. */
  static final long MAX_NUMBER = 999_999_999_999_999_999L;

  /** A larger catalog is damaged; it would have millions of files. */
  private static final long MAX_BYTES = 256 << 20;

  private final Path directory;
  private final Env env;

  CatalogFolder(Path directory, Env env) {
    this.directory = directory;
    this.env = env;
  }

  /** Returns true if {@code name} is the name of a file that this class writes. */
  static boolean isItsFile(String name) {
    return name.equals(TemporaryFile.NAME) || number(name) > 0;
  }

  /** Returns the number of the backup whose catalog has that name, or 0 if no catalog has it. */
  private static long number(String name) {
    return name.startsWith(PREFIX) && NUMBER.matcher(name.substring(PREFIX.length())).matches()
        ? Long.parseLong(name.substring(PREFIX.length()))
        : 0;
  }

  /** Throws {@link NoSuchBackupException} if the directory does not exist. */
  private void requireDirectory() throws IOException {
    if (!env.exists(directory)) {
      throw new NoSuchBackupException(
          "there are no backups: the directory " + directory + " does not exist",
          directory.toString());
    }
  }

  /**
   * Returns the catalogs of all backups, the oldest first. Called with the lock held.
   *
   * @throws CorruptionException if one is damaged, or a file is named almost as a catalog is, so
   *     that it may be one
   */
  List<Catalog> readAll() throws IOException {
    return readAll(false);
  }

  /** As {@link #readAll}, without the lock: leaves out those that are pruned meanwhile. */
  List<Catalog> readPresent() throws IOException {
    return readAll(true);
  }

  private List<Catalog> readAll(boolean presentOnly) throws IOException {
    List<Catalog> found = new ArrayList<>();
    for (long number : numbers()) {
      try {
        found.add(decode(number));
      } catch (NoSuchFileException pruned) {
        if (!presentOnly) {
          throw pruned; // it names files that must not be deleted
        }
      }
    }
    return List.copyOf(found);
  }

  /**
   * Returns the numbers of all catalogs, ascending; none is read.
   *
   * @throws CorruptionException if a file is named almost as a catalog is, so that it may be one
   */
  List<Long> numbers() throws IOException {
    requireDirectory();
    List<Long> numbers = new ArrayList<>();
    for (String name : env.list(directory)) {
      long number = number(name);
      if (number > 0) {
        numbers.add(number);
      } else if (name.startsWith(PREFIX)) {
        throw new CorruptionException(
            "no list of a backup has this name: give it its name back, or move it away",
            directory.resolve(name).toString(),
            CorruptionException.NO_OFFSET);
      }
    }
    Collections.sort(numbers);
    return numbers;
  }

  /** Returns the catalog of a backup. */
  Catalog read(long number) throws IOException {
    requireDirectory();
    if (number > 0 && env.exists(path(number))) {
      try {
        return decode(number);
      } catch (NoSuchFileException e) {
        // It was pruned at this moment.
      }
    }
    throw new NoSuchBackupException(
        "there is no backup " + number + " in " + directory, directory.toString());
  }

  private Catalog decode(long number) throws IOException {
    Path path = path(number);
    try (RandomAccessFile in = env.openRandomAccess(path, false)) {
      if (in.size() > MAX_BYTES) {
        throw new CorruptionException(
            "the list of a backup is damaged: it is too long",
            path.toString(),
            CorruptionException.NO_OFFSET);
      }
      byte[] bytes = new byte[(int) in.size()];
      int done = 0;
      while (done < bytes.length) {
        int count = in.read(done, ByteBuffer.wrap(bytes), done, bytes.length - done);
        if (count <= 0) {
          throw new CorruptionException("the list of a backup was cut", path.toString(), done);
        }
        done += count;
      }
      return Catalog.decode(bytes, number, path.toString());
    } catch (IOException e) {
      throw FileStore.naming("cannot read " + path, e);
    }
  }

  /** Writes the catalog of a new backup. Afterwards it is durable. */
  void write(Catalog catalog) throws IOException {
    try (WritableFile out = TemporaryFile.create(env, directory)) {
      out.append(ByteBuffer.wrap(catalog.encode()));
      out.sync();
    }
    env.rename(TemporaryFile.path(directory), path(catalog.backup().number()));
    env.syncDirectory(directory);
  }

  /** Deletes a catalog. The caller syncs the directory. */
  void delete(Catalog catalog) throws IOException {
    env.delete(path(catalog.backup().number()));
  }

  private Path path(long number) {
    return directory.resolve(PREFIX + String.format(Locale.ROOT, "%06d", number));
  }
}

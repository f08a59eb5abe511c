package dev.kv.backup;

import dev.kv.admin.LiveFiles;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** The files that the backups of a directory share, each stored once. */
final class FileStore {
  private static final Pattern NAME =
      Pattern.compile("(?:" + Catalog.NAME + ")\\.[0-9]{1,18}\\.[0-9a-f]{8}");

  private final Path directory;
  private final Env env;

  FileStore(Path directory, Env env) {
    this.directory = directory;
    this.env = env;
  }

  /** Returns true if {@code name} is the name of a file that this class writes. */
  private static boolean isItsFile(String name) {
    return name.equals(TemporaryFile.NAME) || NAME.matcher(name).matches();
  }

  /** Throws if the store is a symbolic link, because the files elsewhere are not its own. */
  void requireNoLink() throws IOException {
    if (env.isSymbolicLink(directory)) {
      throw new FileSystemException(
          directory.toString(), null, "is a symbolic link: backups are not kept through it");
    }
  }

  /** Throws if the store holds a file that this class did not write. */
  void requireNoOtherFile() throws IOException {
    if (env.exists(directory)) {
      for (String name : env.list(directory)) {
        if (!isItsFile(name)) {
          throw Backups.otherFile(directory.resolve(name));
        }
      }
    }
  }

  /** Creates the store's directory if there is none. */
  void createIfMissing() throws IOException {
    if (!env.exists(directory)) {
      env.createDirectory(directory);
    }
  }

  /** Makes the names of the stored files durable. */
  void sync() throws IOException {
    env.syncDirectory(directory);
  }

  /** Returns the path of a stored file. */
  Path path(StoredFile file) {
    return directory.resolve(file.storedName());
  }

  /** Returns the names and sizes of the stored files, without their checksums. */
  Set<String> namesAndSizes() throws IOException {
    Set<String> present = new HashSet<>();
    for (String name : env.list(directory)) {
      present.add(name.substring(0, Math.max(0, name.lastIndexOf('.'))));
    }
    return present;
  }

  /**
   * Returns the stored file with the bytes of a file, or null if there is none or it is damaged.
   *
   * @param present the names and sizes of the stored files
   */
  @Nullable StoredFile find(LiveFiles.File file, Set<String> present, Copier copier)
      throws IOException {
    if (!present.contains(file.name() + "." + file.size())) {
      return null;
    }
    int checksum;
    try (RandomAccessFile in = file.open()) {
      checksum = copier.checksum(in, file.size(), file.name());
    } catch (IOException e) {
      throw naming("cannot read " + file.name(), e);
    }
    StoredFile same = new StoredFile(file.name(), file.size(), checksum);
    return isGood(same, copier) ? same : null;
  }

  /** Copies a file of a database to the store. Its content is durable afterwards. */
  StoredFile add(LiveFiles.File file, Copier copier) throws IOException {
    int checksum;
    try (RandomAccessFile in = file.open();
        WritableFile out = TemporaryFile.create(env, directory)) {
      checksum = copier.copy(in, file.size(), file.name(), out);
    } catch (IOException e) {
      throw naming("cannot copy " + file.name() + " to " + directory, e);
    }
    StoredFile stored = new StoredFile(file.name(), file.size(), checksum);
    env.rename(TemporaryFile.path(directory), path(stored));
    return stored;
  }

  /**
   * Deletes the files that none of {@code catalogs} needs. Files that this class did not write
   * stay.
   *
   * @param catalogs all that exist, at least one
   */
  void deleteUnused(List<Catalog> catalogs) throws IOException {
    Set<String> used = new HashSet<>();
    for (Catalog catalog : catalogs) {
      catalog.files().forEach(file -> used.add(file.storedName()));
    }
    for (String name : env.list(directory)) {
      if (isItsFile(name) && !used.contains(name) && !isDirectory(directory.resolve(name))) {
        env.delete(directory.resolve(name));
      }
    }
  }

  private boolean isDirectory(Path path) throws IOException {
    try {
      env.list(path);
      return true;
    } catch (NotDirectoryException | NoSuchFileException e) {
      return false;
    }
  }

  /** Returns true if a file is there and all of its bytes can be read and match its checksum. */
  boolean isGood(StoredFile file, Copier copier) {
    Path path = path(file);
    try (RandomAccessFile in = env.openRandomAccess(path, false)) {
      return in.size() == file.size()
          && copier.checksum(in, file.size(), path.toString()) == file.checksum();
    } catch (IOException | CorruptionException e) {
      return false;
    }
  }

  /**
   * Copies a stored file.
   *
   * @throws CorruptionException if it is missing or damaged
   * @throws IOException if it cannot be read, or the copy cannot be written
   */
  void restore(StoredFile file, Path to, Copier copier) throws IOException {
    Path path = path(file);
    if (isDirectory(path)) {
      throw damaged(path, "is a directory");
    }
    try (RandomAccessFile in = open(path);
        WritableFile out = env.createWritable(to)) {
      if (in.size() != file.size()) {
        throw damaged(path, "has " + in.size() + " bytes instead of " + file.size());
      }
      if (copier.copy(in, file.size(), path.toString(), out) != file.checksum()) {
        throw damaged(path, "does not match its checksum");
      }
    } catch (IOException e) {
      throw naming("cannot copy " + path + " to " + to, e);
    }
  }

  private RandomAccessFile open(Path path) throws IOException {
    try {
      return env.openRandomAccess(path, false);
    } catch (NoSuchFileException e) {
      throw new CorruptionException(
          "a file of the backup is missing", path.toString(), CorruptionException.NO_OFFSET, e);
    }
  }

  /** Returns the exception with what failed in front, unless it names its file. */
  static IOException naming(String what, IOException e) {
    return e instanceof FileSystemException ? e : new IOException(what + ": " + e.getMessage(), e);
  }

  private static CorruptionException damaged(Path path, String what) {
    return new CorruptionException(
        "a file of the backup is damaged: it " + what + "; another backup may be good",
        path.toString(),
        CorruptionException.NO_OFFSET);
  }
}

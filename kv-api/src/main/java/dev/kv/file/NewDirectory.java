package dev.kv.file;

import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A new directory that appears with all of its files, or not at all. One thread uses it.
 *
 * <p>Files are written to a directory beside the target, which {@link #publish} renames. A failure
 * or the death of the process before that leaves at most the directory {@code NAME.partial}. The
 * next {@link #begin} for the same target deletes it. A directory of that name that is not such a
 * rest, or that is a symbolic link, is refused and stays as it is.
 *
 * <pre>{@code
 * try (NewDirectory made = NewDirectory.begin(env, target)) {
 *   // write and sync files in made.path()
 *   made.publish();
 * }
 * }</pre>
 *
 * <pre>
 * PARENT/NAME               the target; does not exist before publish
 * PARENT/NAME.partial/
 *     LOCK                  held while the directory is written, so that there is one writer
 *     files/                renamed to PARENT/NAME by publish
 * </pre>
 */
public final class NewDirectory implements AutoCloseable {
  private static final Set<String> OWN_NAMES = Set.of("LOCK", "files");

  private final Env env;
  private final Path target;
  private final Path parent;
  private final Path work;
  private final Path files;
  private final Path lockFile;
  private final Env.Lock lock;
  private boolean published;
  private boolean closed;

  private NewDirectory(Env env, Path target, Path parent, Path work, Env.Lock lock) {
    this.env = env;
    this.target = target;
    this.parent = parent;
    this.work = work;
    this.files = work.resolve("files");
    this.lockFile = work.resolve("LOCK");
    this.lock = lock;
  }

  /**
   * Creates a directory with its parents, as {@link Env#createDirectory}, and makes it durable. Its
   * entry in its parent is synced in any case: what created it before may not have come to that.
   *
   * @param env the environment of the directory
   * @param directory the path of the directory
   * @return the parents that could not be synced although they were there before, or may not be
   *     opened; usually none
   * @throws FileAlreadyExistsException if {@code directory} is a file
   * @throws IOException if the directory cannot be created, or the sync for a new one fails
   */
  public static List<Path> createDurably(Env env, Path directory) throws IOException {
    Objects.requireNonNull(env, "env");
    Objects.requireNonNull(directory, "directory");
    boolean isNew = isMissing(env, directory);
    List<Path> parents = new ArrayList<>();
    Path absolute = absolute(directory);
    Path each = absolute.endsWith("..") ? absolute.resolve("..") : absolute.getParent();
    while (each != null) {
      parents.add(each);
      each = isMissing(env, each) ? each.getParent() : null;
    }
    env.createDirectory(directory);
    List<Path> unsynced = new ArrayList<>();
    for (Path parent : parents) {
      try {
        env.syncDirectory(parent);
      } catch (IOException e) {
        if (isNew && !(e instanceof FileSystemException)) {
          throw e;
        }
        unsynced.add(parent);
      }
    }
    return unsynced;
  }

  /**
   * Returns an absolute path of the same file, without dots at its end. Names before {@code ..}
   * stay, because one can be a symbolic link.
   */
  private static Path absolute(Path path) {
    Path absolute = path.toAbsolutePath();
    while (absolute.endsWith(".")) {
      absolute = Objects.requireNonNull(absolute.getParent()); // at least the root
    }
    return absolute;
  }

  private static boolean isMissing(Env env, Path path) {
    try {
      return !env.exists(path);
    } catch (IOException e) { // it may not even be looked at
      return false;
    }
  }

  /**
   * Begins a new directory.
   *
   * @param env the environment of the directory
   * @param target the path of the directory, which must not exist; its parent must exist
   * @return the new directory, which the caller closes
   * @throws FileAlreadyExistsException if the target exists, or is a symbolic link that leads to
   *     nothing
   * @throws NoSuchFileException if the parent of the target does not exist
   * @throws IOException if another thread or process is writing the same target, if {@code
   *     NAME.partial} is something else, or if the file system fails
   * @throws IllegalArgumentException if the target has no name, such as the root
   */
  public static NewDirectory begin(Env env, Path target) throws IOException {
    Objects.requireNonNull(env, "env");
    Objects.requireNonNull(target, "target");
    Path absolute = absolute(target);
    Path name = absolute.getFileName();
    Path parent = absolute.getParent();
    if (name == null || parent == null) {
      throw new IllegalArgumentException("no directory can be created as " + target);
    }
    if (!env.exists(parent)) {
      throw new NoSuchFileException(parent.toString());
    }
    requireAbsent(env, absolute);
    Path work = parent.resolve(name + ".partial");
    requireNoOther(env, work);
    env.createDirectory(work);
    Env.Lock lock = lock(env, work);
    if (lock == null) {
      throw new FileSystemException(absolute.toString(), null, "is being written by another");
    }
    NewDirectory made = new NewDirectory(env, absolute, parent, work, lock);
    try {
      requireAbsent(env, absolute); // again, because another may just have published it
      made.deleteFiles();
      env.syncDirectory(work); // after loss of power, LOCK tells that the files are a rest
      env.createDirectory(made.files);
      return made;
    } catch (Throwable e) {
      made.close();
      throw e;
    }
  }

  private static Env.@Nullable Lock lock(Env env, Path work) throws IOException {
    try {
      return env.lock(work.resolve("LOCK"));
    } catch (Throwable e) {
      try {
        env.deleteDirectory(work); // it is empty if there is no space for LOCK
      } catch (Throwable also) {
        if (also != e) { // the JVM throws one error again and again if there is no memory
          e.addSuppressed(also);
        }
      }
      throw e;
    }
  }

  /** Refuses a directory whose files this class did not write, because it would delete them. */
  private static void requireNoOther(Env env, Path work) throws IOException {
    requireNoLink(env, work);
    requireNoLink(env, work.resolve("files"));
    if (env.exists(work)) {
      List<String> names = env.list(work);
      if (!names.isEmpty() && (!names.contains("LOCK") || !OWN_NAMES.containsAll(names))) {
        throw new FileSystemException(
            work.toString(), null, "holds other files: move it away or name another target");
      }
    }
  }

  private static void requireNoLink(Env env, Path path) throws IOException {
    if (env.isSymbolicLink(path)) {
      throw new FileSystemException(
          path.toString(), null, "is a symbolic link: nothing is deleted through it");
    }
  }

  private static void requireAbsent(Env env, Path target) throws IOException {
    if (env.exists(target) || env.isSymbolicLink(target)) { // also one that leads to nothing
      throw new FileAlreadyExistsException(target.toString());
    }
  }

  /**
   * Returns the directory to write files to.
   *
   * @return the path, valid until {@link #publish} or {@link #close}
   */
  public Path path() {
    return files;
  }

  /**
   * Makes the directory appear as the target, durably. The files in it must be synced. After an
   * exception the target does not exist, or it is complete; then it may not be durable.
   *
   * @throws IOException if the directory cannot be synced or renamed
   */
  public void publish() throws IOException {
    env.syncDirectory(files);
    env.rename(files, target);
    published = true;
    env.syncDirectory(parent);
  }

  /**
   * Deletes what was not published. Closing it twice does nothing.
   *
   * @throws IOException if it cannot be deleted and nothing was published; the next {@link #begin}
   *     for the target deletes it
   */
  @Override
  public void close() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try {
      deleteWork();
    } catch (IOException e) {
      if (!published) {
        throw e;
      }
      // The target is complete. The next begin deletes the rest.
    }
  }

  private void deleteWork() throws IOException {
    try (lock) {
      deleteFiles();
      env.syncDirectory(work);
      env.delete(lockFile); // while it is held, so that no other writer finds it free
    }
    try {
      env.deleteDirectory(work);
    } catch (DirectoryNotEmptyException | NoSuchFileException e) {
      // Another writer of the target has begun, or has ended.
    }
  }

  private void deleteFiles() throws IOException {
    if (env.exists(files)) {
      for (String name : env.list(files)) {
        env.delete(files.resolve(name));
      }
      env.deleteDirectory(files);
    }
  }
}

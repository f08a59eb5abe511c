package dev.kv.core.recovery;

import dev.kv.core.env.FileContents;
import dev.kv.core.env.FileName;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.table.cache.TablePath;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Moves files that a database does not use, and that may hold data, to its folder lost/. */
public final class LostFiles {
  private static final EngineLogger LOG = EngineLogger.of(LostFiles.class);
  private static final String LOST = "lost";

  private final Env env;
  private final Path directory;
  private final List<String> names = new ArrayList<>();

  /** Creates the object; nothing is moved, and the folder is not created. */
  public LostFiles(Env env, Path directory) {
    this.env = env;
    this.directory = directory;
  }

  /** Throws if the folder is neither missing nor a directory, or if it is a link to one. */
  public void requireFolder() throws IOException {
    Path lost = requireNoLink();
    try {
      if (env.exists(lost)) {
        env.list(lost);
      }
    } catch (NotDirectoryException e) {
      throw new FileSystemException(
          lost.toString(), null, "is not a directory: nothing is moved to it");
    }
  }

  /**
   * Moves a file, without replacing one that is in the folder, which must not be a link.
   *
   * @return the name in the folder, preceded by that of the folder
   */
  public String move(String name) throws IOException {
    Path to = unusedPath(name);
    env.rename(directory.resolve(name), to);
    return added(to);
  }

  /**
   * Gives a file a second name in the folder, as {@link #move} the only one; or copies it if the
   * environment cannot link it.
   *
   * @return the name in the folder, preceded by that of the folder
   */
  public String keep(String name) throws IOException {
    Path from = directory.resolve(name);
    Path to = unusedPath(name);
    if (!env.link(from, to)) {
      try {
        FileContents.copy(env, from, to);
      } catch (Throwable e) {
        UnneededFile.delete(env, to, LOG);
        throw e;
      }
    }
    return added(to);
  }

  /** Deletes what {@link #keep} added, and the folder if it is empty then. */
  public void forget() {
    Path lost = directory.resolve(LOST);
    for (String name : names) {
      UnneededFile.delete(env, lost.resolve(name), LOG);
    }
    try {
      env.deleteDirectory(lost);
    } catch (IOException e) {
      LOG.debug("{} stays: {}", lost, e.toString());
    }
  }

  private Path requireNoLink() throws IOException {
    Path lost = directory.resolve(LOST);
    if (env.isSymbolicLink(lost)) {
      throw new FileSystemException(
          lost.toString(), null, "is a symbolic link: nothing is moved through it");
    }
    return lost;
  }

  private Path unusedPath(String name) throws IOException {
    Path lost = requireNoLink();
    env.createDirectory(lost);
    Path path = lost.resolve(name);
    for (int copy = 1; env.exists(path); copy++) {
      path = lost.resolve(name + "." + copy);
    }
    return path;
  }

  private String added(Path file) {
    String name = String.valueOf(file.getFileName());
    names.add(name);
    return LOST + "/" + name;
  }

  /** Makes the names durable. */
  public void sync() throws IOException {
    if (!names.isEmpty()) {
      env.syncDirectory(directory.resolve(LOST));
    }
    env.syncDirectory(directory);
  }

  /** Returns the names that the files have in the folder. */
  public List<String> names() {
    return names;
  }

  /**
   * Moves the complete tables that the current version does not have, durably. An open does this if
   * the MANIFEST ended inside an edit: the edit was not acknowledged, but if that is wrong, these
   * tables are all that is left of it. They are no longer in the database's directory when the next
   * open deletes unused tables.
   *
   * @param found the files that the open found; the recovery may have written tables since then,
   *     which the version gets with the next edit
   */
  public void moveUnusedTables(DatabaseContext context, VersionSet versions, List<FileName> found)
      throws IOException {
    Set<Long> used = new HashSet<>();
    versions.current().forEachFileNumber(used::add);
    for (FileName file : found) {
      if (file.kind() == FileName.Kind.TABLE
          && !used.contains(file.number())
          && mayBeComplete(context, file)) {
        move(file.text());
        LOG.warn("{}: moved to {}/: {}", directory, LOST, file.text());
      }
    }
    if (!names.isEmpty()) {
      sync();
    }
  }

  /**
   * Moves the file that is not the table, of each table of the current version that has {@linkplain
   * TablePath two files}, durably: other programs may take it for the table.
   *
   * @param found the files that the open found
   */
  public void moveSecondFiles(DatabaseContext context, VersionSet versions, List<FileName> found)
      throws IOException {
    Set<Long> numbers = new HashSet<>();
    Set<Long> repeated = new HashSet<>();
    for (FileName file : found) {
      if (file.kind() == FileName.Kind.TABLE && !numbers.add(file.number())) {
        repeated.add(file.number());
      }
    }
    if (repeated.isEmpty()) {
      return;
    }
    TableSuffix suffix = context.options().tables().suffix();
    for (FileMetadata table : versions.current().files()) {
      if (repeated.contains(table.number())) {
        moveOthers(TablePath.find(env, directory, table, suffix).path(), table.number(), found);
      }
    }
    if (!names.isEmpty()) {
      sync();
    }
  }

  private void moveOthers(Path table, long number, List<FileName> found) throws IOException {
    for (FileName file : found) {
      if (file.kind() == FileName.Kind.TABLE
          && file.number() == number
          && !directory.resolve(file.text()).equals(table)) {
        move(file.text());
        LOG.warn("{}: moved to {}/: {}: the table is {}", directory, LOST, file.text(), table);
      }
    }
  }

  /** Returns false if a table is damaged; a table that cannot be read now may be complete. */
  private boolean mayBeComplete(DatabaseContext context, FileName file) throws IOException {
    long size = env.size(directory.resolve(file.text()));
    try {
      context.tables().tryOpen(file.number(), size);
      return true;
    } catch (CorruptionException e) {
      return false;
    } catch (DBIOException e) {
      return true;
    }
  }
}

package dev.kv.core.recovery;

import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.version.FileMetadata;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.file.FileSystemException;
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
  private final List<String> moved = new ArrayList<>();

  /** Creates the object; nothing is moved, and the folder is not created. */
  public LostFiles(Env env, Path directory) {
    this.env = env;
    this.directory = directory;
  }

  /**
   * Moves a file, without replacing one that is in the folder, which must not be a link.
   *
   * @return the name in the folder, preceded by that of the folder
   */
  public String move(String name) throws IOException {
    Path lost = directory.resolve(LOST);
    if (env.isSymbolicLink(lost)) {
      throw new FileSystemException(
          lost.toString(), null, "is a symbolic link: nothing is moved through it");
    }
    env.createDirectory(lost);
    Path to = lost.resolve(name);
    for (int copy = 1; env.exists(to); copy++) {
      to = lost.resolve(name + "." + copy);
    }
    env.rename(directory.resolve(name), to);
    String there = String.valueOf(to.getFileName());
    moved.add(there);
    return LOST + "/" + there;
  }

  /** Makes the moves durable. */
  public void sync() throws IOException {
    if (!moved.isEmpty()) {
      env.syncDirectory(directory.resolve(LOST));
    }
    env.syncDirectory(directory);
  }

  /** Returns the names that the files have in the folder. */
  public List<String> moved() {
    return moved;
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
    Set<FileName> candidates = new HashSet<>(found);
    Set<Long> used = new HashSet<>();
    versions.current().forEachFileNumber(used::add);
    for (String name : DirectoryCheck.names(env, directory)) {
      FileName file = FileNames.parse(name);
      if (file != null
          && file.kind() == FileName.Kind.TABLE
          && candidates.contains(file)
          && !used.contains(file.number())
          && mayBeComplete(context, file.number(), name)) {
        move(name);
        LOG.warn("{}: moved to {}/: {}", directory, LOST, name);
      }
    }
    if (!moved.isEmpty()) {
      sync();
    }
  }

  /** Returns false if a table is damaged; a table that cannot be read now may be complete. */
  private boolean mayBeComplete(DatabaseContext context, long number, String name)
      throws IOException {
    FileMetadata table = FileMetadata.ofUnknownKeys(number, env.size(directory.resolve(name)));
    try {
      context.tables().iterator(table, true, false).close();
      return true;
    } catch (CorruptionException e) {
      return false;
    } catch (DBIOException e) {
      return true;
    } finally {
      context.tables().evict(number);
    }
  }
}

package dev.kv.core.db;

import dev.kv.Options;
import dev.kv.core.env.CloseAll;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.inspect.ForeignFiles;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.env.Env;
import dev.kv.errors.DBIOException;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Deletes a database: every file whose name is one of a database's file names, and the directory if
 * it is empty then. Holds LOCK until all other files are deleted. Deletes a symbolic link itself,
 * never its target. Refuses a directory whose files only have such names.
 */
final class Destroyer {
  private static final EngineLogger LOG = EngineLogger.of(Destroyer.class);

  /** The kinds of files whose content shows that they are a database's. */
  private static final Set<FileName.Kind> SHOW_A_DATABASE =
      EnumSet.of(FileName.Kind.TABLE, FileName.Kind.LOG, FileName.Kind.MANIFEST);

  private Destroyer() {}

  static void destroy(Path directory, Options options) {
    Env env = options.env();
    try {
      if (env.exists(directory)) {
        destroy(directory, env);
      }
    } catch (IOException e) {
      throw new DBIOException("cannot destroy the database in " + directory + ": " + e, e);
    }
  }

  private static void destroy(Path directory, Env env) throws IOException {
    if (new DirectoryCheck(env, directory).list().isEmpty()) {
      return;
    }
    ForeignFiles.refuse(env, directory);
    Env.Lock lock = DirectoryCheck.lock(env, directory);
    try (lock) {
      List<Closeable> deletions = new ArrayList<>();
      List<Closeable> last = new ArrayList<>();
      // CURRENT is deleted first, so that a crash leaves no database rather than half of one.
      deletions.add(() -> delete(env, FileNames.current(directory)));
      for (FileName file : FileNames.list(env, directory)) {
        if (file.kind() != FileName.Kind.LOCK && file.kind() != FileName.Kind.CURRENT) {
          (SHOW_A_DATABASE.contains(file.kind()) ? last : deletions)
              .add(() -> delete(env, directory.resolve(file.text())));
        }
      }
      deletions.addAll(last); // so that a second destroy knows what a crash of this one leaves
      // While it is held: another open may have it the moment after
      deletions.add(() -> delete(env, FileNames.lock(directory)));
      CloseAll.ofFiles(deletions);
    }
    deleteDirectory(env, directory);
  }

  private static void delete(Env env, Path file) throws IOException {
    try {
      env.delete(file);
      LOG.debug("deleted {}", file);
    } catch (NoSuchFileException e) {
      LOG.debug("{} was deleted already", file);
    }
  }

  private static void deleteDirectory(Env env, Path directory) {
    try {
      env.deleteDirectory(directory);
    } catch (DirectoryNotEmptyException e) {
      LOG.info("{} is not deleted: it contains other files", directory);
    } catch (IOException e) {
      LOG.warn("cannot delete {}: {}", directory, e.toString());
    }
  }
}

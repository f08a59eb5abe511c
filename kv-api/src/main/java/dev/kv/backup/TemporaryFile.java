package dev.kv.backup;

import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;

/** The file of a directory that does not have its final name yet. There is one at a time. */
final class TemporaryFile {
  static final String NAME = "copying.tmp";

  private TemporaryFile() {}

  static Path path(Path directory) {
    return directory.resolve(NAME);
  }

  /**
   * Creates the file, empty. Deletes one that was left before, and does not truncate it: in a copy
   * of the directory by hard links, its bytes may be those of a stored file.
   */
  static WritableFile create(Env env, Path directory) throws IOException {
    Path path = path(directory);
    try {
      env.delete(path);
    } catch (NoSuchFileException e) {
      // The last one got its final name.
    }
    return env.createWritable(path);
  }
}

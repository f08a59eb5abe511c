package dev.kv.core.manifest;

import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.util.List;

/** Creates a database: writes MANIFEST-000001 with its state, and CURRENT, which names it. */
public final class NewDatabase {
  /** The number of the first MANIFEST. */
  static final long MANIFEST_NUMBER = 1;

  private NewDatabase() {}

  /**
   * Creates a database in an existing directory that has none. Its files are durable on return.
   * After an exception, the directory has either no database or a complete, empty one.
   */
  public static void create(ManifestContext context) {
    EditParts state = new EditParts(context, 0, VersionEdit.UNSET);
    create(context, MANIFEST_NUMBER, state.end(MANIFEST_NUMBER + 1, 0));
  }

  /**
   * Writes a MANIFEST with the edits that describe the whole tree, and makes CURRENT name it. A
   * repair uses it. Files are durable on return; the names of the tables in the edits are durable
   * before CURRENT changes.
   */
  public static void create(ManifestContext context, long number, List<VersionEdit> state) {
    int last = state.size() - 1;
    try (Manifest manifest = new Manifest(context)) {
      ManifestWriter created = manifest.create(number);
      manifest.prepare(created, state.subList(0, last), VersionEditCodec.encode(state.get(last)));
      manifest.replaceBy(created);
    } catch (IOException e) {
      Throwable cause = e instanceof NotLoggedException ? e.getCause() : e;
      throw new DBIOException(
          "cannot create a database in " + context.directory() + ": " + cause, cause);
    }
  }
}

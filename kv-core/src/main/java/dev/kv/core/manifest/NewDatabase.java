package dev.kv.core.manifest;

import dev.kv.core.version.VersionEdit;
import dev.kv.errors.DBIOException;
import java.io.IOException;

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
    VersionEdit edit =
        VersionEdit.builder()
            .comparatorName(context.comparator().userComparator().name())
            .logNumber(0)
            .nextFileNumber(MANIFEST_NUMBER + 1)
            .lastSequence(0)
            .build();
    create(context, MANIFEST_NUMBER, edit);
  }

  /**
   * Writes a MANIFEST with an edit that describes the whole tree, and makes CURRENT name it. A
   * repair uses it. Files are durable on return; the names of the tables in the edit are durable
   * before CURRENT changes.
   */
  public static void create(ManifestContext context, long manifestNumber, VersionEdit edit) {
    try {
      writeManifest(context, manifestNumber, edit);
      context.env().syncDirectory(context.directory());
      CurrentFile.write(context.env(), context.directory(), manifestNumber);
    } catch (IOException e) {
      throw new DBIOException("cannot create a database in " + context.directory() + ": " + e, e);
    }
  }

  private static void writeManifest(ManifestContext context, long number, VersionEdit edit)
      throws IOException {
    ManifestWriter manifest = ManifestWriter.create(context, number);
    try {
      for (VersionEdit part : EditParts.of(edit)) {
        manifest.append(part);
      }
      manifest.sync();
    } catch (Throwable e) {
      manifest.delete(e);
      throw e;
    }
    manifest.close();
  }
}

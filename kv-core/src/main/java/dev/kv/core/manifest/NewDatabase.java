package dev.kv.core.manifest;

import dev.kv.DBIOException;
import dev.kv.core.version.VersionEdit;
import java.io.IOException;

/** The creation of a database: MANIFEST-000001 with one edit, and CURRENT, which names it. */
public final class NewDatabase {
  private static final long MANIFEST_NUMBER = 1;

  private NewDatabase() {}

  /**
   * Creates a database in a directory that exists and has none. Files are durable on return. After an
   * exception there is either no database or a whole, empty one.
   */
  public static void create(ManifestContext context) {
    VersionEdit edit =
        VersionEdit.builder()
            .comparatorName(context.comparator().userComparator().name())
            .logNumber(0)
            .nextFileNumber(MANIFEST_NUMBER + 1)
            .lastSequence(0)
            .build();
    try {
      ManifestWriter manifest = ManifestWriter.create(context, MANIFEST_NUMBER);
      try (manifest) {
        manifest.append(edit);
        manifest.sync();
      } catch (IOException | RuntimeException e) {
        manifest.delete(e);
        throw e;
      }
      context.env().syncDirectory(context.directory());
      CurrentFile.prepare(context.env(), context.directory(), MANIFEST_NUMBER);
      CurrentFile.change(context.env(), context.directory(), MANIFEST_NUMBER);
    } catch (IOException e) {
      throw new DBIOException("cannot create a database in " + context.directory() + ": " + e, e);
    }
  }
}

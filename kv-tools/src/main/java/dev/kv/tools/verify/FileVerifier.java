package dev.kv.tools.verify;

import dev.kv.bytes.DBComparator;
import dev.kv.core.inspect.StoredKey;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.database.KeyOrder;
import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/** Checks single files, whether they belong to a database or not. */
public final class FileVerifier {
  private final Env env;
  private final @Nullable KeyOrder order;
  private final Finding.Sink findings;

  /**
   * Creates a verifier of single files.
   *
   * @param order the order of the keys in tables; null for the order of the database in the table's
   *     directory
   */
  public FileVerifier(Env env, @Nullable KeyOrder order, Finding.Sink findings) {
    this.env = env;
    this.order = order;
    this.findings = findings;
  }

  /** Checks a log. */
  public void log(Path file) throws IOException {
    new LogCheck(file.toString(), findings).run(env, file);
  }

  /** Checks a MANIFEST. */
  public void manifest(Path file) throws IOException {
    Tree.readManifest(file, file.toString(), findings);
  }

  /** Checks a table. If the order of its keys is unknown, a note says that it was not checked. */
  public void table(Path file) throws IOException {
    new TableCheck(file.toString(), order(file), findings, (key, value) -> {}).run(env, file);
  }

  /** Checks a CURRENT file. */
  public void current(Path file) throws IOException {
    try {
      DatabaseFiles.manifestNamedBy(file);
    } catch (CorruptionException e) {
      findings.found(Finding.damage(file.toString(), e));
    }
  }

  /** Returns the order of a table's keys, or null if it is unknown. */
  private StoredKey.@Nullable Order order(Path file) {
    if (order != null) {
      return new StoredKey.Order(order.named(order.defaultName()));
    }
    String bytewise = DBComparator.bytewise().name();
    String found;
    try {
      found = DatabaseFiles.comparatorName(DatabaseFiles.directoryOf(file));
    } catch (Failure | DBException unreadable) {
      found = bytewise;
    }
    if (found == null || found.equals(bytewise)) {
      return new StoredKey.Order(DBComparator.bytewise());
    }
    findings.found(
        Finding.note(
            file.toString(),
            CorruptionException.NO_OFFSET,
            "the order was not checked: tell by --comparator which order " + found + " is"));
    return null;
  }
}

package dev.kv.tools.verify;

import dev.kv.core.inspect.DatabaseFile;
import dev.kv.core.inspect.StoredKey;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.database.KeyOrder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks single files, whether they belong to a database or not. */
public final class FileVerifier {
  private final Env env;
  private final @Nullable KeyOrder order;
  private final Finding.Sink findings;

  /**
   * Creates a verifier of single files.
   *
   * @param order the order of the keys in tables; null for the order that the table tells, or else
   *     the MANIFEST in its directory
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
    List<Finding> found = new ArrayList<>();
    Tree tree = Tree.readManifest(file, file.toString(), found::add);
    found.forEach(findings::found);
    if (!tree.isComplete() && found.stream().noneMatch(Finding::damage)) {
      findings.found(
          Finding.damage(file.toString(), CorruptionException.NO_OFFSET, Tree.INCOMPLETE));
    }
  }

  /**
   * Checks a table. If the order of its keys is unknown, a note says that it was not checked.
   *
   * @param userKeys true for a stand-alone table, whose keys have no sequence numbers
   */
  public void table(Path file, boolean userKeys) throws IOException {
    KeyOrder found = order(file);
    StoredKey.Order stored = found == null ? null : new StoredKey.Order(found.named());
    Comparator<byte[]> keys = stored != null && userKeys ? stored.userKeys() : stored;
    new TableCheck(file.toString(), keys, userKeys, findings, (key, value) -> {}).run(env, file);
  }

  /** Checks a CURRENT file. */
  public void current(Path file) throws IOException {
    try {
      DatabaseFile.manifestNamedBy(env, file);
    } catch (CorruptionException e) {
      findings.found(Finding.damage(file.toString(), e));
    }
  }

  /** Returns the order of a table's keys, or null if it is unknown. */
  private @Nullable KeyOrder order(Path file) {
    if (order != null) {
      return order;
    }
    String name = DatabaseFiles.readableComparatorNameOf(file);
    KeyOrder known = name == null ? KeyOrder.BYTEWISE : KeyOrder.of(name);
    if (known == null) {
      findings.found(
          Finding.note(
              file.toString(),
              CorruptionException.NO_OFFSET,
              "the order was not checked: tell by --comparator which order " + name + " is"));
    }
    return known;
  }
}

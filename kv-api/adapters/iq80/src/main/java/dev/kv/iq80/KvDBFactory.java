package dev.kv.iq80;

import dev.kv.DB;
import dev.kv.admin.RepairReport;
import dev.kv.errors.DBException;
import dev.kv.options.TableSuffix;
import java.io.File;
import java.io.IOException;
import org.iq80.leveldb.DBFactory;
import org.iq80.leveldb.Options;

/**
 * Opens kv databases for programs that are written against {@code org.iq80.leveldb}. Immutable.
 *
 * <p>Failures of an open, a repair or a destroy are {@link IOException}s whose cause is kv's
 * exception, which tells them apart.
 */
public class KvDBFactory implements DBFactory {
  /**
   * Names tables {@code .sst}, so that the libraries that this one replaces can open the directory
   * again. All else is as in kv.
   */
  public static final KvDBFactory factory =
      new KvDBFactory(dev.kv.Options.builder().tables(t -> t.suffix(TableSuffix.SST)).build());

  private final dev.kv.Options base;

  /**
   * Creates a factory for databases with options that the old interface does not have, such as a
   * bloom filter.
   *
   * @param base the options over which those of the program are laid
   */
  public KvDBFactory(dev.kv.Options base) {
    this.base = Failures.requireArgument(base, "base");
  }

  @Override
  public KvDB open(File path, Options options) throws IOException {
    Failures.requireArgument(path, "path");
    Failures.requireArgument(options, "options");
    try {
      InfoLog log = new InfoLog(options.logger());
      DB db = DB.open(path.toPath(), Conversions.options(options, base));
      try {
        log.opened(path, db);
        return new KvDB(db, log);
      } catch (Throwable e) {
        abandon(db, e);
        throw e;
      }
    } catch (DBException e) {
      throw Failures.ofFactory(e);
    }
  }

  /** Closes the database of an open that failed. A second failure is added to its own. */
  private static void abandon(DB db, Throwable failure) {
    try {
      db.close();
    } catch (Throwable e) {
      failure.addSuppressed(e);
    }
  }

  @Override
  public void destroy(File path, Options options) throws IOException {
    Failures.requireArgument(path, "path");
    Failures.requireArgument(options, "options");
    try {
      DB.destroy(path.toPath(), Conversions.options(options, base));
    } catch (DBException e) {
      throw Failures.ofFactory(e);
    }
  }

  @Override
  public void repair(File path, Options options) throws IOException {
    Failures.requireArgument(path, "path");
    Failures.requireArgument(options, "options");
    try {
      RepairReport report = DB.repair(path.toPath(), Conversions.options(options, base));
      new InfoLog(options.logger()).repaired(path, report);
    } catch (DBException e) {
      throw Failures.ofFactory(e);
    }
  }

  @Override
  public String toString() {
    return "kv";
  }
}

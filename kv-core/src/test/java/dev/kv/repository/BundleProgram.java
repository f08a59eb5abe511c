package dev.kv.repository;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.env.Env;
import java.nio.file.Path;
import java.util.Locale;
import org.osgi.framework.BundleActivator;
import org.osgi.framework.BundleContext;

/** A bundle that uses kv while it starts. {@link BundleTest} packs it and starts it. */
public final class BundleProgram implements BundleActivator {
  /** The framework's property that has the directory of the database. */
  static final String DIRECTORY = "kv.test.directory";

  /** The system property that the program leaves its result in. */
  static final String RESULT = "kv.test.bundle";

  private static final int KEYS = 10_000;

  /** Writes entries, compacts, opens again and counts. */
  @Override
  public void start(BundleContext context) {
    Options options = Options.builder().createIfMissing(true).env(Env.fileSystem()).build();
    Path directory = Path.of(context.getProperty(DIRECTORY));
    try (DB db = DB.open(directory, options)) {
      for (int i = 0; i < KEYS; i++) {
        db.put(String.format(Locale.ROOT, "key%06d", i).getBytes(US_ASCII), new byte[50]);
      }
      db.admin().compactRange(null, null);
    }
    int entries = 0;
    try (DB db = DB.open(directory, options);
        DBIterator each = db.iterator()) {
      for (each.seekToFirst(); each.isValid(); each.next()) {
        entries++;
      }
    }
    System.setProperty(RESULT, entries + " by " + DB.class.getClassLoader().getClass().getName());
  }

  @Override
  public void stop(BundleContext context) {
    System.clearProperty(RESULT);
  }
}

package dev.kv.core.db;

import dev.kv.Options;
import dev.kv.RepairReport;
import java.nio.file.Path;

/** Rebuilds a damaged database. */
final class Repairer {
  private Repairer() {}

  static RepairReport repair(Path directory, Options options) {
    throw new UnsupportedOperationException("repair of " + directory);
  }
}

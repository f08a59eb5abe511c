package dev.kv.core.db;

import dev.kv.Dump;
import dev.kv.Options;
import java.nio.file.Path;

/** Prints the files of a database as text. */
final class Dumper {
  private Dumper() {}

  static void dump(Path file, Options options, Dump.Sink sink) {
    throw new UnsupportedOperationException("dump of " + file);
  }
}

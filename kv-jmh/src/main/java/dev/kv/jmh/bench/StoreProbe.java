package dev.kv.jmh.bench;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreDirectory;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Checks that a store works on this machine: that its library loads, and a value can be read. */
public final class StoreProbe {

  private StoreProbe() {}

  /** Returns the reason for which {@code kind} does not work here, or empty if it works. */
  public static Optional<String> trouble(StoreKind kind, Path scratch) throws IOException {
    Files.createDirectories(scratch);
    Path directory = Files.createTempDirectory(scratch, "probe-" + kind.label());
    try {
      return roundTrip(kind, directory);
    } catch (LinkageError | RuntimeException | IOException e) {
      return Optional.of(reason(e));
    } finally {
      StoreDirectory.delete(directory);
    }
  }

  private static String reason(Throwable thrown) {
    Throwable root = thrown;
    while (root.getCause() != null) {
      root = root.getCause();
    }
    return root.toString().lines().findFirst().orElse("no reason given");
  }

  private static Optional<String> roundTrip(StoreKind kind, Path directory) throws IOException {
    byte[] key = "probe".getBytes(StandardCharsets.UTF_8);
    byte[] value = new byte[100];
    try (Store store = kind.open(directory, StoreSettings.DEFAULT);
        Writer writer = store.writer(false)) {
      writer.put(key, value);
      try (Reader reader = store.reader()) {
        int length = reader.get(key);
        return length == value.length
            ? Optional.empty()
            : Optional.of("wrote a value of 100 bytes, read " + length);
      }
    }
  }
}

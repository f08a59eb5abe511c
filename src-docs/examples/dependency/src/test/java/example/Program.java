package example;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Snapshot;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.options.CompressionType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicReference;

/** A program that uses kv: writes tables, merges them, opens them again. Prints one word. */
final class Program {
  private static final int ENTRIES = 5_000;
  private static final String VALUE = "value ".repeat(50);

  private Program() {}

  /**
   * Arguments: the directory; and {@code virtual} for a run on a virtual thread, or {@code zstd}
   * for a database with that compression.
   */
  public static void main(String[] args) throws Exception {
    Path directory = Path.of(args[0]);
    String mode = args.length == 1 ? "" : args[1];
    Options.Builder options = Options.builder().createIfMissing(true).writeBufferSize(1 << 18);
    switch (mode) {
      case "virtual" -> onVirtualThread(() -> run(directory, options.build()));
      case "zstd" -> run(directory, options.compression(CompressionType.ZSTD).build());
      default -> run(directory, options.build());
    }
    System.out.println("done");
  }

  private static void run(Path directory, Options options) {
    try (DB db = DB.open(directory, options)) {
      for (int i = 0; i < ENTRIES; i++) {
        db.put(bytes("key" + i), bytes(VALUE + i));
      }
      db.write(WriteOptions.SYNC, WriteBatch.create().delete(bytes("key7")));
      try (Snapshot before = db.snapshot()) {
        db.delete(bytes("key8"));
        expect(db.get(ReadOptions.at(before), bytes("key8")) != null);
      }
      db.admin().compactRange(null, null);
    }
    try (DB db = DB.open(directory, options)) {
      byte[] value = db.get(bytes("key1234"));
      expect(value != null && new String(value, StandardCharsets.UTF_8).equals(VALUE + 1234));
      try (DBIterator cursor = db.iterator()) {
        expect(cursor.stream().count() == ENTRIES - 2);
      }
    }
  }

  private static void onVirtualThread(Runnable task) throws Exception {
    AtomicReference<Throwable> failure = new AtomicReference<>();
    Runnable caught =
        () -> {
          try {
            task.run();
          } catch (Throwable e) {
            failure.set(e);
          }
        };
    Thread thread =
        (Thread) Thread.class.getMethod("startVirtualThread", Runnable.class).invoke(null, caught);
    thread.join();
    if (failure.get() != null) {
      throw new AssertionError(failure.get());
    }
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private static void expect(boolean holds) {
    if (!holds) {
      throw new AssertionError();
    }
  }
}

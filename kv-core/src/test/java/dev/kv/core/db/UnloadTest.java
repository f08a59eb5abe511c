package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.errorprone.annotations.Keep;
import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.SharedResources;
import dev.kv.Snapshot;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.backup.Backups;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Entry;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.core.Children;
import dev.kv.env.Env;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.map.Codecs;
import dev.kv.map.DBMap;
import dev.kv.options.CompressionType;
import dev.kv.options.LogRetention;
import dev.kv.space.Space;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import dev.kv.ttl.TimeToLive;
import dev.kv.tuple.Tuples;
import java.io.File;
import java.lang.ref.Reference;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import jdk.jfr.Recording;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A program that is loaded by a class loader of its own, as in a web server or a plug-in, and that
 * has closed its databases, can be unloaded.
 */
class UnloadTest {
  /** How long collections may take to clear everything that is only weakly reachable. */
  private static final long MAX_WAIT_NANOS = TimeUnit.SECONDS.toNanos(60);

  @TempDir Path directory;

  @Test
  void classLoader_ofAProgramThatClosedItsDatabases_isCollected() throws Exception {
    Children.Ended child =
        Children.run(
            List.of("-Xmx128m", "-XX:SoftRefLRUPolicyMSPerMB=0"),
            Container.class,
            directory.toString());
    assertThat(child.output()).contains("program has ended").contains("collected");
    assertThat(child.exitCode()).isZero();
  }

  /** What loads the program, and lets go of it. */
  static final class Container {
    private Container() {}

    @Keep
    public static void main(String[] arguments) throws Exception {
      List<URL> jars = new ArrayList<>();
      for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
        jars.add(Path.of(entry).toUri().toURL());
      }
      URLClassLoader loader =
          new URLClassLoader(jars.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
      WeakReference<ClassLoader> reference = new WeakReference<>(loader);
      try (Recording recording = new Recording()) { // on 17 its threads keep who starts the first
        recording.start();
        loader
            .loadClass(Program.class.getName())
            .getMethod("run", String.class)
            .invoke(null, arguments[0]);
        recording.stop();
      }
      System.out.println("the program has ended");
      loader.close();
      Reference.reachabilityFence(loader);
      loader = null;
      long end = System.nanoTime() + MAX_WAIT_NANOS;
      while (reference.get() != null && System.nanoTime() < end) {
        System.gc();
        Thread.sleep(20); // for the threads of cleaners, which run after a collection
      }
      System.out.println(reference.get() == null ? "collected" : "still reachable");
    }
  }

  /** Uses every part of the library once, and closes all that it has opened. */
  public static final class Program {
    private static final AtomicInteger LISTENED = new AtomicInteger();

    private Program() {}

    @Keep
    public static void run(String directory) throws Exception {
      Path base = Path.of(directory);
      use(base);
      try {
        DB.open(base.resolve("absent"), Options.DEFAULT);
      } catch (NoSuchDatabaseException e) {
        System.out.println(e.getMessage());
      }
    }

    private static void use(Path base) throws Exception {
      for (CompressionType compression : CompressionType.values()) {
        Options options =
            Options.builder()
                .createIfMissing(true)
                .compression(compression)
                .filterPolicy(FilterPolicy.bloom(10))
                .logRetention(LogRetention.ofBytes(1 << 20))
                .monitoring(m -> m.listener(event -> LISTENED.incrementAndGet()))
                .build();
        Path directory = base.resolve(compression.toString());
        try (DB db = DB.open(directory, options)) {
          write(db);
          db.admin().checkpoint(base.resolve("checkpoint-" + compression));
          Backups backups = Backups.at(base.resolve("backups-" + compression));
          backups.verify(backups.create(db.admin()).number());
          read(db);
          lookups(db);
          transactions(db);
        }
        Options withoutFeed = options.toBuilder().logRetention(null).build(); // as ingest wants it
        tables(base.resolve("table-" + compression), directory, withoutFeed);
        withoutAWriter(directory, base.resolve("checkpoint-" + compression), options);
      }
      try (SharedResources shared = SharedResources.builder().build();
          DB db =
              DB.open(
                  base.resolve("memory"),
                  Options.builder()
                      .createIfMissing(true)
                      .env(Env.inMemory())
                      .sharedResources(shared)
                      .build())) {
        write(db);
        load(db);
      }
      Options ownOrder =
          Options.builder()
              .createIfMissing(true)
              .comparator(DBComparator.ofArrays("own", Arrays::compareUnsigned))
              .build();
      try (DB db = DB.open(base.resolve("own-order"), ownOrder)) {
        write(db);
        lookups(db);
      }
    }

    private static void write(DB db) throws Exception {
      for (int i = 0; i < 2000; i++) {
        db.put(bytes("key" + i), bytes("value".repeat(20) + i));
      }
      db.write(WriteOptions.SYNC, WriteBatch.create().put(bytes("a"), bytes("b")));
      db.deleteRange(bytes("key1"), bytes("key2"));
      db.admin().flush();
      db.admin().compactRange(null, null);
    }

    private static void load(DB db) {
      try (BulkLoader loader = db.loads().bulkLoader(BulkLoadOptions.DEFAULT)) {
        loader.put(bytes("l"), bytes("m"));
        loader.finish();
      }
    }

    private static void read(DB db) {
      DBMap<String, Long> map = DBMap.of(Space.of(db, "map/"), Codecs.utf8(), Codecs.longs());
      map.put("one", 1L);
      for (Map.Entry<String, Long> entry : map.entrySet()) {
        System.out.println(entry);
      }
      TimeToLive mortal = TimeToLive.of(Space.of(db, "ttl/"), Duration.ofHours(1));
      mortal.put(bytes("k"), bytes("v"));
      db.forEach(ReadOptions.DEFAULT, (key, value) -> {});
      try (Stream<Entry> entries = db.stream(ReadOptions.DEFAULT)) {
        entries.limit(3).forEach(System.out::println);
      }
      System.out.println(db.admin().stats());
      System.out.println(db.admin().property("leveldb.stats"));
    }

    private static void lookups(DB db) throws Exception {
      Tuples.unpack(Tuples.pack("t", 7L));
      db.getAll(List.of(bytes("key20"), bytes("absent")));
      db.read(bytes("key20"), Slice::length);
      try (PinnedValue value = db.pinned(bytes("key20"))) {
        System.out.println(value.length());
      }
      try (Snapshot snapshot = db.snapshot();
          DBIterator cursor = db.iterator(ReadOptions.at(snapshot))) {
        cursor.seekToLast();
        cursor.prev();
      }
      Thread thread = new Thread(() -> db.get(bytes("key20")));
      thread.start();
      thread.join();
    }

    private static void tables(Path table, Path directory, Options options) {
      try (TableWriter writer = TableWriter.forIngest(table, options)) {
        writer.put(bytes("x"), bytes("y"));
        writer.finish();
      }
      try (TableReader reader = TableReader.open(table, options);
          DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
        cursor.seekToFirst();
      }
      try (DB db = DB.open(directory, options)) {
        db.loads().ingest(List.of(table));
      }
    }

    private static void withoutAWriter(Path directory, Path checkpoint, Options options) {
      try (ReadOnlyDB db = DB.openReadOnly(directory, options)) {
        db.refresh();
        db.get(bytes("x"));
      }
      System.out.println(DB.repair(checkpoint, options));
      DB.destroy(checkpoint, options);
    }

    private static void transactions(DB db) throws Exception {
      try (Transaction transaction = db.transaction()) {
        transaction.put(bytes("t"), bytes("u"));
        transaction.commit();
      }
      ChangePosition position = db.changes().position();
      db.put(bytes("c"), bytes("d"));
      try (Changes changes = db.changes().open(position)) {
        changes.poll();
      }
    }

    private static byte[] bytes(String text) {
      return text.getBytes(StandardCharsets.UTF_8);
    }
  }
}

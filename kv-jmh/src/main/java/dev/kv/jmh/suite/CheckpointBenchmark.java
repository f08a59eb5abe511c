package dev.kv.jmh.suite;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.backup.Backup;
import dev.kv.backup.Backups;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.options.CompressionType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Fork;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Measurement;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;
import org.openjdk.jmh.annotations.Warmup;

/**
 * Makes checkpoints and backups of a database on disk, each one durable, while the log holds some
 * unflushed entries. The directory is the one of {@code java.io.tmpdir}.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@Warmup(iterations = 5)
@Measurement(iterations = 20)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls fill() before a benchmark
public class CheckpointBenchmark {
  private static final int VALUE_BYTES = 1000;

  /** The size of the database. */
  @Param({"1024"})
  public int megabytes;

  private final DecimalKey key = new DecimalKey(0);
  private final LehmerRandom random = new LehmerRandom(23);
  private final ValueGenerator values = new ValueGenerator(1.0);
  private final byte[] value = new byte[VALUE_BYTES];
  private int entries;
  private Path directory;
  private DB db;
  private Backups backups;
  private int count;

  /** Fills a database of the size, and makes the first backup. */
  @Setup(Level.Trial)
  public void fill() throws IOException {
    directory = Files.createTempDirectory("kv-checkpoint");
    db =
        DB.open(
            directory.resolve("db"),
            Options.builder().createIfMissing(true).compression(CompressionType.NONE).build());
    entries = megabytes * 1000;
    for (int i = 0; i < entries; i++) {
      values.next(value);
      db.put(key.set(i), value);
    }
    db.admin().compactRange(null, null);
    backups = Backups.at(directory.resolve("backups"));
    backups.create(db.admin());
  }

  /** Writes a MiB, which stays in the log. */
  @Setup(Level.Invocation)
  public void write() {
    for (int i = 0; i < 1000; i++) {
      values.next(value);
      db.put(key.set((int) random.uniform(entries)), value);
    }
    db.admin().waitForCompactions();
  }

  /** Makes a checkpoint of hard links. */
  @Benchmark
  public long checkpoint() {
    return db.admin().checkpoint(directory.resolve("checkpoint" + ++count));
  }

  /** Makes a backup of which most tables are stored already. */
  @Benchmark
  public Backup backupOfAFewChanges() {
    return backups.create(db.admin());
  }

  /** Deletes what the invocation made. */
  @TearDown(Level.Invocation)
  public void delete() {
    DB.destroy(directory.resolve("checkpoint" + count), Options.DEFAULT);
    backups.prune(1);
  }

  /** Deletes the database. */
  @TearDown(Level.Trial)
  public void deleteAll() throws IOException {
    db.close();
    try (Stream<Path> paths = Files.walk(directory)) {
      List<Path> deepestFirst = paths.sorted(Comparator.reverseOrder()).toList();
      for (Path path : deepestFirst) {
        Files.delete(path);
      }
    }
  }
}

package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Plan;
import dev.kv.jmh.task.PointReadTask.Kind;
import dev.kv.jmh.workload.Workload;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The benchmarks of db_bench by name, and some more: {@code quiet} waits for compactions; {@code
 * deleterange} deletes half of the keys with one call; {@code queue} puts at the end and deletes at
 * the front; {@code readnewest} is {@code readhot}, and each read sees every write before it;
 * {@code readone} reads one key, the same in all threads; {@code foreach} scans without a cursor;
 * {@code fillonebatch}, {@code readkeys} and {@code readcrc} are from the benchmark of lmdbjava;
 * {@code ycsbload} and {@code ycsba} to {@code ycsbf} are YCSB's, see {@link YcsbTask}.
 */
public final class Catalogue {
  /** The benchmarks that run by default. */
  public static final String DEFAULT =
      "fillseq,fillsync,fillrandom,overwrite,readrandom,readrandom,readseq,readreverse,compact,"
          + "readrandom,readseq,readreverse,fill100K,crc32c,snappycomp,snappyuncomp";

  /** All names. */
  public static final List<String> NAMES =
      List.of(
          "open",
          "fillseq",
          "fillbatch",
          "fillload",
          "fillonebatch",
          "fillrandom",
          "overwrite",
          "fillsync",
          "fill100K",
          "readseq",
          "readreverse",
          "foreach",
          "readrandom",
          "readkeys",
          "readcrc",
          "readmissing",
          "seekrandom",
          "seekordered",
          "readhot",
          "readnewest",
          "readone",
          "readrandomsmall",
          "deleteseq",
          "deleterandom",
          "deleterange",
          "queue",
          "readwhilewriting",
          "compact",
          "ycsbload",
          "ycsba",
          "ycsbb",
          "ycsbc",
          "ycsbd",
          "ycsbe",
          "ycsbf",
          "crc32c",
          "snappycomp",
          "snappyuncomp",
          "stats",
          "sstables",
          "quiet");

  private static final int LARGE_VALUE = 100 * 1000;
  private static final int LARGE_BATCH = 1000;
  private static final int QUEUE_LENGTH = 1000;
  private static final long CRC_BYTES = 500L << 20;
  private static final long SNAPPY_BYTES = 1L << 30;

  private final Workload workload;
  private final long codecBytes;
  private final long writeRate;
  private final AtomicLong ycsbRecords;

  /**
   * Creates plans for one sequence.
   *
   * @param workload the sizes that the benchmarks share
   * @param codecBytes what the benchmarks of checksums and compression process, or negative for the
   *     sizes of db_bench
   * @param writeRate the most bytes that {@code readwhilewriting} writes in a second; 0 for no
   *     limit
   */
  public Catalogue(Workload workload, long codecBytes, long writeRate) {
    this.workload = workload;
    this.codecBytes = codecBytes;
    this.writeRate = writeRate;
    ycsbRecords = new AtomicLong(workload.keySpace());
  }

  /**
   * Splits a list of names.
   *
   * @throws IllegalArgumentException if a name is unknown
   */
  public static List<String> parse(String list) {
    List<String> names =
        Arrays.stream(list.split(",")).map(String::trim).filter(name -> !name.isEmpty()).toList();
    for (String name : names) {
      if (!NAMES.contains(name)) {
        throw new IllegalArgumentException(
            "there is no benchmark '" + name + "'; known are " + String.join(", ", NAMES));
      }
    }
    return names;
  }

  /** Returns the plan with one of the {@link #NAMES}. */
  public Plan plan(String name) {
    return switch (name) {
      case "fillseq" -> Plan.fill(name, write(workload.keySpace(), 1, true, false));
      case "fillbatch" -> Plan.fill(name, write(workload.keySpace(), LARGE_BATCH, true, false));
      case "fillload" -> Plan.fill(name, new LoadTask(workload));
      case "fillonebatch" -> Plan.fill(name, new OneBatchTask(workload));
      case "fillrandom" -> Plan.fill(name, write(workload.keySpace(), 1, false, false));
      case "overwrite" -> Plan.write(name, write(workload.keySpace(), 1, false, false));
      case "fillsync" -> Plan.fill(name, write(thousandth(), 1, false, true));
      case "fill100K" ->
          Plan.fill(
              name,
              new WriteTask(workload.withValueSize(LARGE_VALUE), thousandth(), 1, false, false));
      case "deleteseq" -> Plan.write(name, new DeleteTask(workload, true));
      case "deleterandom" -> Plan.write(name, new DeleteTask(workload, false));
      case "deleterange" -> Plan.write(name, new RangeDeleteTask(workload));
      case "queue" -> Plan.fill(name, new QueueTask(workload, QUEUE_LENGTH));
      case "readwhilewriting" ->
          new Plan(
              name,
              false,
              true,
              1,
              new ReadWhileWritingTask(workload, randomReads(workload), writeRate));
      case "compact" -> Plan.write(name, Catalogue::compact);
      case "ycsbload" -> Plan.fill(name, YcsbTask.load(workload, ycsbRecords));
      case "ycsba" -> ycsb(name, YcsbTask.Mix.A);
      case "ycsbb" -> ycsb(name, YcsbTask.Mix.B);
      case "ycsbc" -> ycsb(name, YcsbTask.Mix.C);
      case "ycsbd" -> ycsb(name, YcsbTask.Mix.D);
      case "ycsbe" -> ycsb(name, YcsbTask.Mix.E);
      case "ycsbf" -> ycsb(name, YcsbTask.Mix.F);
      case "quiet" -> Plan.read(name, QuietTask.standard());
      case "open" -> Plan.read(name, new OpenTask(Math.max(1, workload.keySpace() / 10_000)));
      default -> readingPlan(name);
    };
  }

  private Plan readingPlan(String name) {
    return Plan.read(
        name,
        switch (name) {
          case "readseq" -> new ScanTask(workload, false);
          case "readreverse" -> new ScanTask(workload, true);
          case "foreach" -> thread -> thread.store().scan(thread.meter());
          case "readkeys" -> new ReadKeysTask(workload);
          case "readcrc" -> new ChecksumTask(workload);
          case "readrandom" -> randomReads(workload);
          case "readrandomsmall" -> randomReads(smallWorkload());
          case "readmissing" -> new PointReadTask(workload, workload.keySpace(), Kind.MISSING);
          case "readhot" -> hotReads(Kind.PRESENT);
          case "readnewest" -> hotReads(Kind.NEWEST);
          case "readone" -> new PointReadTask(workload, 1, Kind.PRESENT);
          case "seekrandom" -> new SeekTask(workload, false);
          case "seekordered" -> new SeekTask(workload, true);
          case "crc32c" -> new Crc32cTask(codecBytes(CRC_BYTES));
          case "snappycomp" ->
              new SnappyTask(workload.compressionRatio(), codecBytes(SNAPPY_BYTES), false);
          case "snappyuncomp" ->
              new SnappyTask(workload.compressionRatio(), codecBytes(SNAPPY_BYTES), true);
          case "stats" -> new PropertyTask("leveldb.stats");
          case "sstables" -> new PropertyTask("leveldb.sstables");
          default -> throw new IllegalArgumentException(name);
        });
  }

  private Plan ycsb(String name, YcsbTask.Mix mix) {
    YcsbTask task = new YcsbTask(workload, mix, ycsbRecords);
    return mix == YcsbTask.Mix.C ? Plan.read(name, task) : Plan.write(name, task);
  }

  private Workload smallWorkload() {
    return new Workload(
        workload.keySpace(),
        Math.max(1, workload.reads() / 1000),
        workload.valueSize(),
        workload.compressionRatio(),
        workload.keyPrefix());
  }

  private static void compact(BenchThread thread) {
    thread.store().compact();
    thread.meter().tick();
  }

  private static PointReadTask randomReads(Workload reads) {
    return new PointReadTask(reads, reads.keySpace(), Kind.PRESENT);
  }

  private PointReadTask hotReads(Kind kind) {
    return new PointReadTask(workload, (workload.keySpace() + 99) / 100, kind);
  }

  private WriteTask write(long entries, int batch, boolean ordered, boolean sync) {
    return new WriteTask(workload, entries, batch, ordered, sync);
  }

  private long thousandth() {
    return Math.max(1, workload.keySpace() / 1000);
  }

  private long codecBytes(long standard) {
    return codecBytes < 0 ? standard : codecBytes;
  }
}

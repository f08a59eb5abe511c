package dev.kv.jmh.suite;

import static java.util.Objects.requireNonNull;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.env.Env;
import dev.kv.jmh.workload.DecimalKey;
import dev.kv.jmh.workload.LehmerRandom;
import dev.kv.jmh.workload.ValueGenerator;
import dev.kv.netty.ByteBufDB;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
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
 * Reads values of the block cache as a server does, which writes each one to a channel: in the
 * memory of the block, as a copy in a pooled buffer of Netty, and as a copy on the heap.
 */
@State(Scope.Thread)
@BenchmarkMode(Mode.AverageTime)
@OutputTimeUnit(TimeUnit.NANOSECONDS)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
@Fork(1)
@SuppressWarnings("NullAway.Init") // JMH calls fill() before a benchmark
public class RetainedReadBenchmark {
  private static final long CACHE_BYTES = 256 << 20;
  private static final int TOTAL_BYTES = 16 << 20;
  private static final int MOST_ENTRIES = 20_000;

  /** The length of each value in bytes. */
  @Param({"100", "4096", "102400"})
  public int valueBytes;

  /** Whether each value is written to the null device, which takes a system call. */
  @Param({"false", "true"})
  public boolean write;

  private final LehmerRandom random = new LehmerRandom(17);
  private final DecimalKey key = new DecimalKey(0);
  private final ByteBuf keyBuf = Unpooled.wrappedBuffer(key.set(0));
  private int entries;
  private DB db;
  private ByteBufDB bufs;
  private FileChannel device;

  /** Fills a database whose blocks all fit the cache, and reads every block once. */
  @Setup(Level.Trial)
  public void fill() throws IOException {
    entries = Math.min(MOST_ENTRIES, TOTAL_BYTES / valueBytes);
    Options options =
        Options.builder()
            .createIfMissing(true)
            .env(Env.inMemory())
            .blockCacheSize(CACHE_BYTES)
            .build();
    db = DB.open(Path.of("retained"), options);
    bufs = ByteBufDB.of(db);
    ValueGenerator values = new ValueGenerator(0.5);
    byte[] value = new byte[valueBytes];
    for (int i = 0; i < entries; i++) {
      values.next(value);
      db.put(key.set(i), value);
    }
    db.admin().compactRange(null, null);
    db.forEach(ReadOptions.DEFAULT, (aKey, aValue) -> {});
    device = FileChannel.open(Path.of("/dev/null"), StandardOpenOption.WRITE);
  }

  /** Closes the database. */
  @TearDown(Level.Trial)
  public void close() throws IOException {
    device.close();
    db.close();
  }

  private byte[] nextKey() {
    return key.set(random.uniform(entries));
  }

  /** Reads the value in the memory of its block. */
  @Benchmark
  public int retained() throws IOException {
    nextKey();
    return send(requireNonNull(bufs.retained(keyBuf)));
  }

  /** Copies the value into a pooled buffer, whose size the caller knows. */
  @Benchmark
  public int pooledCopy() throws IOException {
    ByteBuf value = PooledByteBufAllocator.DEFAULT.directBuffer(valueBytes, valueBytes);
    ByteBuffer into = value.internalNioBuffer(0, valueBytes);
    value.writerIndex(db.get(ReadOptions.DEFAULT, ByteBuffer.wrap(nextKey()), into));
    return send(value);
  }

  /** Copies the value into an array. */
  @Benchmark
  public int heapCopy() throws IOException {
    return send(Unpooled.wrappedBuffer(requireNonNull(db.get(nextKey()))));
  }

  private int send(ByteBuf value) throws IOException {
    int length = value.readableBytes();
    int sent =
        write
            ? device.write(value.internalNioBuffer(0, length))
            : value.getByte(0) + value.getByte(length - 1);
    value.release();
    return sent;
  }
}

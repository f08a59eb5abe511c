package dev.kv.core.db;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingMappedLogFile;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** An environment that fails, waits or counts where a test says so. */
public final class HookedEnv extends ForwardingEnv {
  public volatile boolean noSpace;
  public volatile boolean nonWritable;
  public volatile boolean logSyncFails;
  public volatile boolean manifestSyncFails;
  public volatile boolean manifestAppendFails;
  public volatile boolean logCloseFails;
  public volatile boolean noMappedLogs;
  public volatile @Nullable CountDownLatch tableSyncGate;
  public final AtomicLong reads = new AtomicLong();
  public final AtomicLong refused = new AtomicLong();
  public final AtomicLong lists = new AtomicLong();

  public HookedEnv(Env target) {
    super(target);
  }

  private void refuseIf(boolean hook, String what) throws IOException {
    if (hook) {
      refused.incrementAndGet();
      throw new IOException("simulated " + what);
    }
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    lists.incrementAndGet();
    return super.list(directory);
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    refuseIf(nonWritable, "read-only file system");
    return hook(file, super.createWritable(file));
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    refuseIf(nonWritable, "read-only file system");
    return hook(file, super.openAppendable(file));
  }

  @Override
  public @Nullable MappedLogFile createMappedLog(Path file) throws IOException {
    refuseIf(nonWritable, "read-only file system");
    MappedLogFile log = noMappedLogs ? null : super.createMappedLog(file);
    return log == null ? null : new HookedLog(log);
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    return new ForwardingRandomAccessFile(super.openRandomAccess(file, map)) {
      @Override
      public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
        reads.incrementAndGet();
        return super.read(position, into, offset, length);
      }
    };
  }

  private WritableFile hook(Path file, WritableFile target) {
    String name = file.getFileName().toString();
    boolean manifest = name.startsWith("MANIFEST");
    boolean table = name.endsWith(".ldb");
    boolean log = name.endsWith(".log");
    return new ForwardingWritableFile(target) {
      @Override
      public void append(ByteBuffer bytes) throws IOException {
        refuseIf(noSpace, "full disk");
        refuseIf(manifest && manifestAppendFails, "failure of a write to the MANIFEST");
        super.append(bytes);
      }

      @Override
      public void sync() throws IOException {
        refuseIf(manifest && manifestSyncFails, "failure of a sync of the MANIFEST");
        refuseIf(log && logSyncFails, "failure of a sync of the log");
        if (table) {
          passGate();
        }
        super.sync();
      }

      @Override
      public void close() throws IOException {
        super.close();
        refuseIf(log && logCloseFails, "failure of a close of the log");
      }
    };
  }

  private void passGate() throws IOException {
    CountDownLatch errors = tableSyncGate;
    if (errors != null) {
      try {
        errors.await();
      } catch (InterruptedException e) {
        throw new IOException(e);
      }
    }
  }

  /** A mapped log with hooks. */
  private final class HookedLog extends ForwardingMappedLogFile {
    HookedLog(MappedLogFile target) {
      super(target);
    }

    @Override
    public void reserve(long end) throws IOException {
      refuseIf(noSpace, "full disk");
      super.reserve(end);
    }

    @Override
    public void sync(long from, long to) throws IOException {
      refuseIf(logSyncFails, "failure of a sync of the log");
      super.sync(from, to);
    }

    @Override
    public void close() throws IOException {
      super.close();
      refuseIf(logCloseFails, "failure of a close of the log");
    }
  }
}

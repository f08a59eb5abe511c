package dev.kv.core.write;

import dev.kv.core.env.Uninterrupted;
import dev.kv.env.WritableFile;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** A log file in memory that fails and blocks on demand. */
final class FakeFile implements WritableFile {
  private final ByteArrayOutputStream contents = new ByteArrayOutputStream();
  private final AtomicInteger syncs = new AtomicInteger();
  private long length;
  private boolean flushed;
  volatile boolean keepsContents = true;
  volatile Throwable appendFailure;
  volatile Throwable laterAppendFailure;
  volatile Throwable syncFailure;
  volatile long syncMillis;

  /** What a sync does, besides taking its time. */
  volatile Runnable duringSync = () -> {};

  private volatile CountDownLatch entered;
  private volatile CountDownLatch barrier;
  private volatile boolean blocksSync;

  /** Makes the next append wait for {@link #unblock}. */
  void blockNextAppend() {
    barrier = new CountDownLatch(1);
    entered = new CountDownLatch(1);
  }

  /** Makes the next sync wait for {@link #unblock}, as well as the appends after it. */
  void blockNextSync() {
    blocksSync = true;
    entered = new CountDownLatch(1);
  }

  void awaitBlocked() throws InterruptedException {
    if (!entered.await(60, TimeUnit.SECONDS)) {
      throw new AssertionError("no append came");
    }
  }

  void unblock() {
    CountDownLatch latch = barrier;
    barrier = null;
    latch.countDown();
  }

  int syncs() {
    return syncs.get();
  }

  @Override
  public void append(ByteBuffer bytes) throws IOException {
    CountDownLatch latch = barrier;
    if (latch != null) {
      entered.countDown();
      Uninterrupted.await(latch::await);
    }
    raise(appendFailure);
    if (flushed) {
      raise(laterAppendFailure);
    }
    length += bytes.remaining();
    if (keepsContents) {
      byte[] copy = new byte[bytes.remaining()];
      bytes.get(copy);
      contents.writeBytes(copy);
    }
    bytes.position(bytes.limit());
  }

  private static void raise(Throwable failure) throws IOException {
    if (failure instanceof IOException e) {
      throw e;
    } else if (failure instanceof Error e) {
      throw e;
    }
  }

  @Override
  public void flush() {
    flushed = true;
  }

  @Override
  public void sync() throws IOException {
    raise(syncFailure);
    if (blocksSync) {
      blocksSync = false;
      CountDownLatch latch = new CountDownLatch(1);
      barrier = latch;
      entered.countDown();
      Uninterrupted.await(latch::await);
    }
    duringSync.run();
    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(syncMillis));
    syncs.incrementAndGet();
  }

  @Override
  public long length() {
    return length;
  }

  @Override
  public void close() {
    // Nothing is open.
  }

  byte[] contents() {
    return contents.toByteArray();
  }
}

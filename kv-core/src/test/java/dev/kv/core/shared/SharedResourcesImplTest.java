package dev.kv.core.shared;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.core.memory.BlockAllocator;
import dev.kv.core.memory.MemoryKind;
import dev.kv.env.Env;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The limits of shared resources, and when they are freed. */
class SharedResourcesImplTest {
  private static final long MIB = 1 << 20;

  private @Nullable SharedResourcesImpl made;

  @AfterEach
  void closeAll() {
    if (made != null) {
      made.close();
      assertThat(made.offHeapUsed()).isZero();
    }
  }

  private SharedResourcesImpl resources(
      long cache, long offHeap, long writeBuffers, int compactionThreads) {
    if (made != null) {
      made.close();
    }
    made =
        new SharedResourcesImpl(
            SharedResources.builder()
                .blockCacheSize(cache)
                .offHeapLimit(offHeap)
                .writeBufferLimit(writeBuffers)
                .compactionThreads(compactionThreads)
                .settings());
    return made;
  }

  /** Expects that memtables are flushed early if they take more than {@code limit} bytes. */
  private static void expectLimitOfWriteBuffers(SharedResourcesImpl shared, long limit) {
    TestMemtable memtable = new TestMemtable();
    shared.writeBuffers().add(memtable);
    memtable.setBytes(limit);
    shared.writeBuffers().acquired(1);
    assertThat(memtable.isFlushPending()).as("at %d bytes", limit).isFalse();
    memtable.setBytes(limit + 1);
    shared.writeBuffers().acquired(1);
    assertThat(memtable.isFlushPending()).as("beyond %d bytes", limit).isTrue();
    shared.writeBuffers().remove(memtable);
  }

  @Test
  void writeBuffers_withoutALimitOfTheirOwn_haveHalfOfWhatTheCacheLeaves() {
    expectLimitOfWriteBuffers(resources(8 * MIB, 32 * MIB, 0, 1), 12 * MIB);
    expectLimitOfWriteBuffers(resources(30 * MIB, 32 * MIB, 0, 1), 4 * MIB);
    expectLimitOfWriteBuffers(resources(8 * MIB, 32 * MIB, 3 * MIB, 1), 3 * MIB);
    TestMemtable memtable = new TestMemtable();
    SharedResourcesImpl unlimited = resources(8 * MIB, 0, 0, 1);
    unlimited.writeBuffers().add(memtable);
    memtable.setBytes(Long.MAX_VALUE / 2);
    unlimited.writeBuffers().acquired(1);
    assertThat(memtable.isFlushPending()).isFalse();
    unlimited.writeBuffers().remove(memtable);
  }

  private static void expectLeftToJobs(SharedResourcesImpl shared, long bytes) {
    long most = shared.budget().limit() - bytes;
    assertThat(shared.budget().tryReserve(MemoryKind.MEMTABLE, most + 1)).isFalse();
    assertThat(shared.budget().tryReserve(MemoryKind.MEMTABLE, most)).isTrue();
    assertThat(shared.offHeapUsed()).isEqualTo(most);
    shared.budget().release(MemoryKind.MEMTABLE, most);
  }

  @Test
  void memtables_leaveTheMemoryOfEachJob_orAnEighthOfASmallLimit() {
    expectLeftToJobs(resources(0, 64 * MIB, 0, 3), 4 * SharedResourcesImpl.JOB_BYTES);
    expectLeftToJobs(resources(0, 8 * MIB, 0, 3), MIB);
  }

  @Test
  void prune_withoutBlocksInUse_releasesTheirMemory() {
    SharedResourcesImpl shared = resources(8 * MIB, 32 * MIB, 0, 1);
    BlockAllocator allocator = shared.tableMemory().allocator();
    allocator.allocate(MemoryKind.BLOCK, 4096).release();
    assertThat(shared.offHeapUsed()).as("a free slot").isPositive();
    shared.prune();
    assertThat(shared.offHeapUsed()).isZero();
  }

  private static Thread startFlushThread(SharedResourcesImpl shared) throws InterruptedException {
    AtomicReference<Thread> thread = new AtomicReference<>();
    CountDownLatch ran = new CountDownLatch(1);
    WorkerThreads.Task task =
        new WorkerThreads.Task() {
          @Override
          protected long runPiece() {
            ran.countDown();
            return WorkerThreads.IDLE;
          }

          @Override
          protected Thread startThread(String name, Runnable body) {
            thread.set(Env.fileSystem().startThread(name, body));
            return thread.get();
          }

          @Override
          protected boolean noThread(Throwable cause) {
            throw new AssertionError(cause);
          }
        };
    shared.flushThread().submit(task);
    assertThat(ran.await(60, TimeUnit.SECONDS)).isTrue();
    shared.flushThread().end(task);
    shared.flushThread().awaitEnd(task);
    return thread.get();
  }

  @Test
  void acquire_withoutSharedResources_makesOnesThatTheReleaseFrees() throws InterruptedException {
    SharedResourcesImpl own = SharedResourcesImpl.acquire(Options.DEFAULT);
    assertThat(own.openDatabases()).isEqualTo(1);
    assertThat(own.settings().blockCacheSize()).isEqualTo(Options.DEFAULT.blockCacheSize());
    Thread thread = startFlushThread(own);
    assertThat(thread.isAlive()).isTrue();
    own.release();
    assertThat(thread.isAlive()).isFalse();
    assertThat(own.openDatabases()).isZero();
  }

  @Test
  void release_ofResourcesThatAreNotClosed_leavesThemForTheNextUser() throws InterruptedException {
    SharedResourcesImpl shared = resources(8 * MIB, 32 * MIB, 0, 1);
    Options options = Options.builder().sharedResources(shared).build();
    assertThat(SharedResourcesImpl.acquire(options)).isSameAs(shared);
    Thread thread = startFlushThread(shared);
    shared.release();
    assertThat(thread.isAlive()).isTrue();
    assertThat(SharedResourcesImpl.acquire(options)).isSameAs(shared);
    shared.close();
    assertThat(thread.isAlive()).as("closed, but in use").isTrue();
    shared.release();
    assertThat(thread.isAlive()).isFalse();
    assertThatThrownBy(shared::release)
        .isInstanceOf(AssertionError.class)
        .hasMessageContaining("released twice");
  }

  @Test
  void toString_hasTheSettings() {
    SharedResourcesImpl shared = resources(8 * MIB, 32 * MIB, 0, 1);
    assertThat(shared).hasToString("SharedResources" + shared.settings());
    assertThat(shared.toString()).contains("offHeapLimit=" + 32 * MIB);
  }
}

package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class RefCountedTest {
  private final AtomicInteger freed = new AtomicInteger();

  private final class Resource extends RefCounted {
    @Override
    protected void free() {
      freed.incrementAndGet();
    }
  }

  @Test
  void release_lastOwner_freesOnce() {
    Resource resource = new Resource();
    resource.retain();
    resource.release();
    assertThat(freed).hasValue(0);
    assertThat(resource.references()).isEqualTo(1);
    resource.release();
    assertThat(freed).hasValue(1);
  }

  @Test
  void release_onceTooOften_isAnError() {
    Resource resource = new Resource();
    resource.release();
    assertThatThrownBy(resource::release).isInstanceOf(AssertionError.class);
    assertThat(freed).hasValue(1);
  }

  @Test
  void retain_freed_isAnErrorAndTryRetainSaysNo() {
    Resource resource = new Resource();
    assertThat(resource.tryRetain()).isTrue();
    resource.release();
    resource.release();
    assertThat(resource.tryRetain()).isFalse();
    assertThatThrownBy(resource::retain).isInstanceOf(AssertionError.class);
  }

  @Test
  void tryRetain_racingTheLastRelease_neverRevives() throws InterruptedException {
    AtomicInteger revived = new AtomicInteger();
    for (int round = 0; round < 200; round++) {
      freed.set(0);
      Resource resource = new Resource();
      CountDownLatch start = new CountDownLatch(1);
      Thread[] readers = new Thread[3];
      for (int i = 0; i < readers.length; i++) {
        readers[i] =
            new Thread(
                () -> {
                  try {
                    start.await();
                  } catch (InterruptedException e) {
                    throw new AssertionError(e);
                  }
                  boolean alive = true;
                  while (alive && resource.tryRetain()) {
                    alive = freed.get() == 0;
                    resource.release();
                  }
                  if (!alive) {
                    revived.incrementAndGet();
                  }
                });
        readers[i].start();
      }
      start.countDown();
      resource.release();
      for (Thread reader : readers) {
        reader.join();
      }
      assertThat(freed).hasValue(1);
    }
    assertThat(revived).as("owners of what was freed").hasValue(0);
  }
}

package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Latches;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.event.CloseEvent;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;

class BackgroundThreadsTest extends DbTestBase {
  /** A memtable that cannot be removed, as if there were no memory for the list without it. */
  private static final class Unremovable implements WriteBuffers.Buffer {
    @Override
    public long bytes() {
      return 0;
    }

    @Override
    public long begun() {
      return 0;
    }

    @Override
    public boolean isFlushPending() {
      return false;
    }

    @Override
    public void requestFlush() {}

    @Override
    public boolean equals(Object other) {
      throw new OutOfMemoryError("simulated");
    }

    @Override
    public int hashCode() {
      return 0;
    }
  }

  @Test
  void close_withoutMemory_waitsForTheWorkAllTheSame() throws Exception {
    CountDownLatch running = new CountDownLatch(1);
    CountDownLatch ended = new CountDownLatch(1);
    open(
        defaults().toBuilder()
            .monitoring(
                m ->
                    m.listener(
                        event -> {
                          if (event instanceof CloseEvent && running.getCount() > 0) {
                            running.countDown();
                            Latches.await(ended);
                          }
                        }))
            .build());
    parts().background().close();
    BackgroundThreads threads =
        new BackgroundThreads(
            parts().jobs().files(),
            new Flusher(parts().jobs()),
            parts().compactor(),
            new MaintenanceTask(parts().jobs(), parts().reader(), parts().transactions()),
            new Unremovable());
    threads.start(false);
    parts().context().events().post(new CloseEvent("db")); // its delivery is a piece of work
    running.await();
    Thread closing =
        new Thread(() -> assertThatThrownBy(threads::close).isInstanceOf(OutOfMemoryError.class));
    closing.start();
    try {
      await(
          "the close, or its end",
          () ->
              closing.getState() == Thread.State.WAITING
                  || closing.getState() == Thread.State.TERMINATED);
      assertThat(closing.isAlive()).as("the close waits").isTrue();
    } finally {
      ended.countDown();
      closing.join();
    }
  }
}

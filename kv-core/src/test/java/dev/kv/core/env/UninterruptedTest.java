package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Call;
import java.io.IOException;
import java.nio.channels.ClosedByInterruptException;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
final class UninterruptedTest {
  @Test
  void await_whenInterrupted_goesOnAndTheInterruptStaysSet() throws InterruptedException {
    CountDownLatch latch = new CountDownLatch(1);
    AtomicBoolean isInterrupted = new AtomicBoolean();
    Call call =
        Call.start(
            () -> {
              Uninterrupted.await(latch::await);
              isInterrupted.set(Thread.currentThread().isInterrupted());
            });
    for (int i = 0; i < 3; i++) {
      call.awaitParked();
      call.thread().interrupt();
    }
    call.awaitParked();
    latch.countDown();
    assertThat(call.outcome()).isNull();
    assertThat(isInterrupted).isTrue();
  }

  @Test
  void await_withoutAnInterrupt_setsNone() {
    Uninterrupted.await(() -> {});
    assertThat(Thread.currentThread().isInterrupted()).isFalse();
  }

  @Test
  void run_ofAThreadOfTheEngine_staysThere() throws Exception {
    AtomicReference<Thread> ran = new AtomicReference<>();
    AtomicReference<String> result = new AtomicReference<>();
    Thread engine =
        new FileEnv()
            .startThread(
                "engine",
                () -> {
                  try {
                    result.set(Uninterrupted.run(() -> threadNoted(ran)));
                  } catch (IOException e) {
                    throw new AssertionError(e);
                  }
                });
    engine.join();
    assertThat(ran).hasValue(engine);
    assertThat(result).hasValue("engine");
  }

  /** An interrupt of the program's thread would close the channel. */
  @Test
  void run_ofAnotherThread_isOnOneOfTheEngine() throws IOException {
    AtomicReference<Thread> ran = new AtomicReference<>();
    Thread.currentThread().interrupt();
    assertThat(Uninterrupted.run(() -> threadNoted(ran))).isEqualTo("kv-channel");
    assertThat(Thread.interrupted()).isTrue();
    assertThat(ran.get()).isNotSameAs(Thread.currentThread()).isInstanceOf(EngineThread.class);
  }

  private static String threadNoted(AtomicReference<Thread> ran) {
    Thread current = Thread.currentThread();
    ran.set(current);
    assertThat(current.isInterrupted()).isFalse();
    return current.getName();
  }

  @Test
  void run_thatFails_throwsWhatItThrew() {
    for (Throwable thrown :
        List.of(new IOException("io"), new IllegalStateException("state"), new Error("error"))) {
      assertThatThrownBy(
              () ->
                  Uninterrupted.run(
                      () -> {
                        if (thrown instanceof IOException io) {
                          throw io;
                        }
                        if (thrown instanceof Error error) {
                          throw error;
                        }
                        throw (RuntimeException) thrown;
                      }))
          .isSameAs(thrown);
    }
  }

  @Test
  void runAgain_whoseChannelAnInterruptClosed_runsAgainAndTheInterruptStaysSet()
      throws IOException {
    AtomicInteger runs = new AtomicInteger();
    String result =
        Uninterrupted.runAgain(
            () -> {
              if (runs.incrementAndGet() == 1) {
                Thread.currentThread().interrupt();
                throw new ClosedByInterruptException();
              }
              assertThat(Thread.currentThread().isInterrupted()).isFalse();
              return "done";
            });
    assertThat(result).isEqualTo("done");
    assertThat(runs).hasValue(2);
    assertThat(Thread.interrupted()).isTrue();
  }
}

package dev.kv.infinispan;

import dev.kv.errors.DBException;
import dev.kv.errors.OffHeapExhaustedException;
import io.reactivex.rxjava3.core.Emitter;
import io.reactivex.rxjava3.core.Flowable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.function.BiConsumer;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.infinispan.persistence.spi.PersistenceException;
import org.infinispan.util.concurrent.BlockingManager;
import org.jspecify.annotations.Nullable;
import org.reactivestreams.Publisher;

/**
 * Runs the calls of a store on Infinispan's blocking threads. A failure of the database is a {@link
 * PersistenceException} of the stage or publisher. Thread-safe.
 */
final class BlockingCalls {
  private final BlockingManager blocking;

  BlockingCalls(BlockingManager blocking) {
    this.blocking = blocking;
  }

  CompletionStage<Void> run(Runnable action, String name) {
    return supply(
        () -> {
          action.run();
          return null;
        },
        name);
  }

  <T extends @Nullable Object> CompletionStage<T> supply(Supplier<T> action, String name) {
    return blocking.supplyBlocking(() -> translated(action), name);
  }

  /**
   * Runs an action on a blocking thread, with what is marshalled before on this one. A failure of
   * either is that of the stage.
   */
  <M, T extends @Nullable Object> CompletionStage<T> supply(
      Supplier<M> marshalling, Function<M, T> action, String name) {
    M marshalled;
    try {
      marshalled = marshalling.get();
    } catch (PersistenceException e) {
      return CompletableFuture.failedStage(e);
    } catch (RuntimeException e) {
      return CompletableFuture.failedStage(new PersistenceException(e.getMessage(), e));
    }
    return supply(() -> action.apply(marshalled), name);
  }

  /** Runs an action on a blocking thread after a stage, with its result. */
  <T> CompletionStage<Void> runAfter(CompletionStage<T> stage, Consumer<T> action, String name) {
    return blocking.thenComposeBlocking(
        stage,
        result ->
            translated(
                () -> {
                  action.accept(result);
                  return CompletableFuture.completedStage(null);
                }),
        name);
  }

  /**
   * Returns a publisher whose items are generated on a blocking thread.
   *
   * @param open returns the state of a subscription, which is closed with it
   * @param generator emits the next item, or the end
   */
  <S extends AutoCloseable, T> Publisher<T> publish(
      Supplier<S> open, BiConsumer<S, Emitter<T>> generator) {
    Flowable<T> items =
        Flowable.generate(
            open::get,
            (state, emitter) -> {
              try {
                generator.accept(state, emitter);
              } catch (Error e) {
                emitter.onError(e); // RxJava rethrows some, and then the subscriber waits forever
              }
            },
            AutoCloseable::close);
    return blocking.blockingPublisher(
        items.onErrorResumeNext(
            e -> Flowable.error(e instanceof DBException cause ? translated(cause) : e)));
  }

  private static <T extends @Nullable Object> T translated(Supplier<T> action) {
    try {
      return action.get();
    } catch (DBException e) {
      throw translated(e);
    }
  }

  private static PersistenceException translated(DBException cause) {
    String message =
        cause instanceof OffHeapExhaustedException
            ? "no memory for the store: "
                + ManagerResources.MORE_MEMORY
                + ", or -XX:MaxDirectMemorySize if the cause names that"
            : cause.getMessage();
    return new PersistenceException(message, cause);
  }
}

package dev.kv.core.crash;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.background.JobContext;
import dev.kv.core.crash.Allocations.Fault;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.db.EngineParts;
import dev.kv.core.db.LeakCheck;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.Levels;
import dev.kv.core.write.ExclusiveWriter;
import dev.kv.core.write.StallInputs;
import dev.kv.errors.DBException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Lets the allocations of a call fail, from the first one on, in one run each. The call must end,
 * and so must later ones and the close; logs and memory must not leak. Acknowledged writes must be
 * readable at once and after the next open, and every other write as a whole or not at all. Run by
 * {@link AllocationFaultIT}, in a JVM with changed classes.
 */
@ExtendWith({LeakCheck.class, Quiet.class})
class AllocationSweep {
  private static final int LIMIT_SECONDS = 60;
  private static final String CALLER = "caller";
  private static final int WRITE_BUFFER = 64 << 10;

  /** Where an allocation may fail without a permanent failure of the database. */
  private static final String EDIT = "VersionEditCodec";

  private static final String EVENT = "WriteAheadLog.noteSync";

  /** Two such values fill a memtable. */
  private static final byte[] LARGE = new byte[40_000];

  @TempDir Path temp;

  /** A call whose allocations fail. */
  enum Call {
    PUT(CALLER) {
      @Override
      void run(Run run) {
        run.write("a", "new", () -> run.db.put(b("a"), b("new")));
      }
    },
    PUT_SYNC(CALLER) {
      @Override
      void run(Run run) {
        run.write("a", "new", () -> run.db.put(WriteOptions.SYNC, b("a"), b("new")));
      }
    },
    DELETE(CALLER) {
      @Override
      void run(Run run) {
        run.write("a", null, () -> run.db.delete(b("a")));
      }
    },
    BATCH(CALLER) {
      @Override
      void run(Run run) {
        Map<String, @Nullable String> effect = new TreeMap<>();
        effect.put("a", "new");
        effect.put("b", null);
        run.write(
            effect,
            () ->
                run.db.write(
                    WriteOptions.SYNC, WriteBatch.create().put(b("a"), b("new")).delete(b("b"))));
      }
    },
    BATCH_LARGER_THAN_A_MEMTABLE(CALLER) {
      @Override
      void run(Run run) {
        Map<String, @Nullable String> effect = new TreeMap<>();
        effect.put("x", s(LARGE));
        effect.put("y", s(LARGE));
        run.write(
            effect, () -> run.db.write(WriteBatch.create().put(b("x"), LARGE).put(b("y"), LARGE)));
      }
    },
    FIRST_WRITE(CALLER) {
      @Override
      void prepare(Run run) {}

      @Override
      void run(Run run) {
        run.write("a", "new", () -> run.db.put(b("a"), b("new")));
      }
    },
    SWITCH(CALLER) {
      @Override
      void prepare(Run run) {
        super.prepare(run);
        run.write("x", s(LARGE), () -> run.db.put(b("x"), LARGE));
      }

      @Override
      void run(Run run) {
        run.write("y", s(LARGE), () -> run.db.put(WriteOptions.SYNC, b("y"), LARGE));
      }
    },
    STALL(CALLER) {
      /** An interrupt does not end the stall, and is not lost. */
      @Override
      void run(Run run) {
        StallInputs inputs = DbTestBase.parts(run.db).memTables().stallInputs();
        inputs.setLevel0Tables(Levels.LEVEL_0_STOP_TRIGGER);
        Thread.currentThread().interrupt();
        try {
          run.write("x", s(LARGE), () -> run.db.put(b("x"), LARGE));
        } finally {
          inputs.setLevel0Tables(0);
        }
        assertThat(Thread.interrupted()).as("the interrupt is kept").isTrue();
      }
    },
    GROUP(CALLER) {
      /** The first thread becomes the leader and takes the others along. */
      @Override
      void run(Run run) {
        List<Thread> threads = new ArrayList<>();
        try (ExclusiveWriter writer = DbTestBase.parts(run.db).commits().exclusive()) {
          for (String key : List.of("a", "b", "c")) {
            Thread thread = start(() -> run.write(key, "new", () -> run.db.put(b(key), b("new"))));
            threads.add(thread);
            DbTestBase.await(
                "a writer in the queue",
                () ->
                    thread.getState() == Thread.State.WAITING
                        || thread.getState() == Thread.State.TERMINATED);
          }
        } catch (DBException | OutOfMemoryError e) {
          assertThat(threads).as("exclusive() threw " + e).isEmpty();
        }
        threads.forEach(AllocationSweep::join);
      }
    },
    FLUSH(CALLER) {
      /** The second call waits for the flush that the first one may not have woken. */
      @Override
      void run(Run run) {
        run.attempt(() -> run.db.admin().flush());
        run.attempt(() -> run.db.admin().flush());
      }
    },
    FLUSH_AND_COMPACTIONS(CALLER) {
      @Override
      void run(Run run) {
        run.attempt(() -> run.db.admin().flush());
        run.attempt(() -> run.db.admin().waitForCompactions());
      }
    },
    FLUSH_THREAD("kv-flush") {
      @Override
      void run(Run run) {
        run.attempt(() -> run.db.admin().flush());
      }
    },
    COMPACTION_THREAD("kv-compact") {
      @Override
      void prepare(Run run) {
        super.prepare(run);
        assertThat(run.attempt(() -> run.db.admin().flush())).isTrue();
      }

      @Override
      void run(Run run) {
        run.attempt(() -> run.db.admin().compactRange(null, null));
      }
    },
    MAINTENANCE_THREAD("kv-maintenance") {
      @Override
      void run(Run run) {
        EngineParts parts = DbTestBase.parts(run.db);
        parts.memTables().requestFlush();
        DbTestBase.await(
            "the switch",
            () ->
                !parts.memTables().stallInputs().isSwitchWanted()
                    || !parts.jobs().errors().isOpen()
                    || run.fault.wasInjected());
      }
    },
    SYNC_THREAD("kv-sync") {
      @Override
      void run(Run run) {
        run.attempt(() -> run.db.syncAsync().toCompletableFuture().join());
      }
    },
    DELETE_RANGE(CALLER) {
      @Override
      void run(Run run) {
        Map<String, @Nullable String> effect = new TreeMap<>();
        effect.put("a", null);
        effect.put("b", null);
        run.write(effect, () -> run.db.deleteRange(b("a"), b("c")));
      }
    },
    TRANSACTION(CALLER) {
      @Override
      void run(Run run) {
        run.write(
            "a",
            "new",
            () -> {
              Transaction transaction = run.db.transaction();
              try {
                transaction.put(b("a"), b("new"));
                transaction.commit();
              } finally { // not a resource: the same error twice cannot be suppressed
                transaction.close();
              }
            });
      }
    },
    SCAN(CALLER) {
      @Override
      void run(Run run) {
        run.attempt(() -> run.db.forEach(ReadOptions.DEFAULT, (key, value) -> {}));
      }
    },
    CURSOR(CALLER) {
      @Override
      void run(Run run) {
        run.attempt(
            () -> {
              try (DBIterator cursor = run.db.iterator()) {
                cursor.seekToLast();
                cursor.value();
              }
            });
      }
    },
    CHECKPOINT(CALLER) {
      @Override
      void run(Run run) {
        run.attempt(() -> run.db.admin().checkpoint(run.directory.resolveSibling("checkpoint")));
      }
    },
    CLOSE(CALLER) {
      @Override
      void run(Run run) {
        try {
          run.db.close();
        } catch (DBException | OutOfMemoryError e) {
          assertThat(run.fault.wasInjected()).as("closes: " + e).isTrue();
        } catch (IllegalArgumentException e) { // of the JDK: the same error twice
          assertThat(e).hasCauseInstanceOf(OutOfMemoryError.class);
        }
      }
    };

    private final String threads;

    Call(String threads) {
      this.threads = threads;
    }

    void prepare(Run run) {
      for (String key : List.of("a", "b", "c", "d")) {
        run.write(key, "old", () -> run.db.put(b(key), b("old")));
      }
    }

    abstract void run(Run run);
  }

  @ParameterizedTest
  @EnumSource
  void allocation_failing_losesNothing(Call call) throws Exception {
    sweep(call, 1, false);
  }

  @ParameterizedTest
  @EnumSource
  void allocation_failingWhereLogsAreKept_losesNothing(Call call) throws Exception {
    sweep(call, 1, true);
  }

  @ParameterizedTest
  @EnumSource
  void twoAllocations_failing_loseNothing(Call call) throws Exception {
    sweep(call, 2, false);
  }

  @ParameterizedTest
  @EnumSource
  void allAllocations_failing_loseNothing(Call call) throws Exception {
    sweep(call, Integer.MAX_VALUE / 2, false);
  }

  private void sweep(Call call, int faults, boolean keepsLogs) throws Exception {
    // Without a fault first: a class that cannot be initialized stays unusable.
    Fault fault = new Fault(call.threads, Integer.MAX_VALUE, Integer.MAX_VALUE);
    int first = 0;
    int inEdits = 0;
    int inEvents = 0;
    do {
      Path directory = Files.createDirectory(temp.resolve("run" + first)).resolve("db");
      Run run = new Run(call, directory, keepsLogs, fault);
      within(call + ", " + fault, run::run);
      first++;
      boolean isLast = first > 1 && !fault.wasInjected();
      inEdits += fault.wasOnlyIn(EDIT) ? 1 : 0;
      inEvents += fault.wasOnlyIn(EVENT) ? 1 : 0;
      fault = isLast ? null : new Fault(call.threads, first, first + faults - 1);
    } while (fault != null);
    if (call == Call.FLUSH_THREAD && faults == 1) {
      assertThat(inEdits).as("edits that could not be encoded").isPositive();
    }
    if (call == Call.PUT_SYNC && faults == 1) {
      assertThat(inEvents).as("syncs whose event could not be told").isPositive();
    }
  }

  private static void within(String what, Runnable run) throws Exception {
    CompletableFuture<Void> done = CompletableFuture.runAsync(run, AllocationSweep::startTest);
    try {
      done.get(LIMIT_SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      throw new AssertionError(what + ": " + e.getCause(), e.getCause());
    } catch (TimeoutException e) {
      StringBuilder stacks = new StringBuilder(what).append(" hangs");
      Thread.getAllStackTraces()
          .forEach(
              (thread, stack) -> {
                stacks.append("\n").append(thread);
                Stream.of(stack).forEach(frame -> stacks.append("\n    ").append(frame));
              });
      throw new AssertionError(stacks.toString(), e);
    }
  }

  private static void startTest(Runnable body) {
    Thread thread = new Thread(body, "test");
    thread.setDaemon(true);
    thread.start();
  }

  private static Thread start(Runnable body) {
    Thread thread = new Thread(body, CALLER);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  private static void join(Thread thread) {
    try {
      thread.join();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  /** One database, from its creation to the check of its contents. */
  private static final class Run {
    private final Call call;
    private final Path directory;
    private final boolean keepsLogs;
    private final Options options;
    private final Fault fault;
    private final Map<String, String> acknowledged = new TreeMap<>();
    private final List<Map<String, @Nullable String>> unknown = new ArrayList<>();
    private DB db;

    Run(Call call, Path directory, boolean keepsLogs, Fault fault) {
      this.call = call;
      this.directory = directory;
      this.keepsLogs = keepsLogs;
      this.fault = fault;
      Options.Builder builder =
          Options.builder()
              .createIfMissing(true)
              .writeBufferSize(WRITE_BUFFER)
              .monitoring(m -> m.slowSync(Duration.ZERO)) // each one is told
              .recoveryMode(RecoveryMode.PARANOID);
      options =
          keepsLogs ? builder.logRetention(LogRetention.ofBytes(1 << 20)).build() : builder.build();
      db = DB.open(directory, options);
    }

    void run() {
      OffHeapBudget budget = DbTestBase.parts(db).context().budget();
      try {
        call.prepare(this);
        assertThat(unknown).isEmpty();
        callWithFault();
        if (call != Call.CLOSE) {
          check();
          goOn();
        }
      } finally {
        db.close();
      }
      assertThat(budget.used()).as("off-heap memory in use after the close").isZero();
      db = DB.open(directory, options);
      try {
        check();
        write("later", "4", () -> db.put(b("later"), b("4")));
        assertThat(attempt(() -> db.admin().flush())).isTrue();
        check();
      } finally {
        db.close();
      }
    }

    private void callWithFault() {
      CompletableFuture<Void> done = new CompletableFuture<>();
      Allocations.begin(fault);
      try {
        Thread caller =
            start(
                () -> {
                  try {
                    call.run(this);
                    done.complete(null);
                  } catch (Throwable e) {
                    done.completeExceptionally(e);
                  }
                });
        join(caller);
      } finally {
        Allocations.end();
      }
      done.join();
    }

    /** Writes and flushes; either may be refused. */
    private void goOn() {
      if (fault.wasOnlyIn(EDIT) || fault.wasOnlyIn(EVENT)) {
        assertThat(DbTestBase.parts(db).jobs().errors().isFailedPermanently()).isFalse();
        assertThat(attempt(() -> db.admin().flush())).isTrue();
      }
      write("later", "1", () -> db.put(b("later"), b("1")));
      try {
        db.admin().resume();
      } catch (DBReadOnlyException e) {
        assertThat(e.isResumable()).isFalse();
      }
      write("later", "2", () -> db.put(b("later"), b("2")));
      if (attempt(() -> db.admin().flush()) && !keepsLogs) {
        DbTestBase.await("the deletion of obsolete logs", this::hasNoObsoleteLog);
      }
      DbTestBase.await("the end of all jobs and reservations", this::isIdleOrFailed);
      check();
    }

    private boolean isIdleOrFailed() {
      JobContext jobs = DbTestBase.parts(db).jobs();
      jobs.monitor().lock();
      try {
        return jobs.running().isIdle() || jobs.errors().isFailedPermanently();
      } finally {
        jobs.monitor().unlock();
      }
    }

    private boolean hasNoObsoleteLog() {
      long oldest = DbTestBase.parts(db).versions().logNumber();
      try (Stream<Path> files = Files.list(directory)) {
        return files
            .map(file -> FileNames.parse(file.getFileName().toString()))
            .noneMatch(
                name -> name != null && name.kind() == FileName.Kind.LOG && name.number() < oldest);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    /** Returns true if the call succeeds. */
    boolean attempt(Runnable action) {
      try {
        action.run();
        return true;
      } catch (DBException | OutOfMemoryError | CompletionException e) {
        return false;
      }
    }

    void write(String key, @Nullable String value, Runnable write) {
      Map<String, @Nullable String> effect = new TreeMap<>();
      effect.put(key, value);
      write(effect, write);
    }

    /** Does a write that sets the given values; null deletes a key. */
    void write(Map<String, @Nullable String> effect, Runnable write) {
      boolean done = attempt(write);
      synchronized (this) {
        if (done) {
          apply(effect, acknowledged);
          unknown.forEach(earlier -> earlier.keySet().removeAll(effect.keySet()));
        } else {
          unknown.add(new TreeMap<>(effect));
        }
      }
    }

    private static void apply(Map<String, @Nullable String> effect, Map<String, String> content) {
      effect.forEach((key, value) -> content.compute(key, (same, before) -> value));
    }

    /** Checks that the content is that of the acknowledged writes and some of the others. */
    private void check() {
      Map<String, String> found = new TreeMap<>();
      try (DBIterator all = db.iterator()) {
        for (all.seekToFirst(); all.isValid(); all.next()) {
          found.put(s(all.key()), s(all.value()));
        }
      }
      List<Map<String, String>> possible = new ArrayList<>();
      for (int chosen = 0; chosen < 1 << unknown.size(); chosen++) {
        Map<String, String> content = new TreeMap<>(acknowledged);
        for (int i = 0; i < unknown.size(); i++) {
          if ((chosen >> i & 1) != 0) {
            apply(unknown.get(i), content);
          }
        }
        possible.add(content);
      }
      if (!possible.contains(found)) {
        throw new AssertionError(
            "has " + found.keySet() + ", acknowledged " + acknowledged.keySet() + ", " + unknown);
      }
    }
  }

  private static byte[] b(String text) {
    return text.getBytes(ISO_8859_1);
  }

  private static String s(byte[] bytes) {
    return new String(bytes, ISO_8859_1);
  }
}

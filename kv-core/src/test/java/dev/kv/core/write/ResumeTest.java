package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.WriteOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import dev.kv.testing.FaultEnv.Operation;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** What ends the read-only state after a failure of the file system, and what does not. */
class ResumeTest extends DbTestBase {
  private final Map<String, String> acknowledged = new TreeMap<>();
  private FaultEnv faulty = new FaultEnv(Env.inMemory());

  private void openFaulty() {
    faulty = new FaultEnv(Env.inMemory());
    acknowledged.clear();
    open(defaults().toBuilder().env(faulty).blockCacheSize(0).build());
  }

  private void write(String key, String value) {
    put(key, value);
    acknowledged.put(key, value);
  }

  private void checkContents() {
    for (Map.Entry<String, String> entry : acknowledged.entrySet()) {
      assertThat(get(entry.getKey())).as(faulty.lastFault()).isEqualTo(entry.getValue());
    }
  }

  private static boolean isOnTable(Operation operation) {
    return operation.isOn(".ldb") || operation.isOn(".sst");
  }

  /** Fails one operation on tables, after so many others. */
  private void failAfter(int skipped) {
    AtomicInteger seen = new AtomicInteger();
    faulty.fail(Fault.ERROR, 1, each -> isOnTable(each) && seen.getAndIncrement() == skipped);
  }

  /** Runs background work in which one operation fails, and expects that a resume ends that. */
  private void checkResumed(Runnable work) {
    try {
      work.run();
    } catch (DBReadOnlyException e) {
      assertThat(e.isResumable()).as(faulty.lastFault()).isTrue();
      assertThat(e)
          .hasStackTraceContaining("injected fault")
          .hasMessageContaining("db.admin().resume()");
      assertThatThrownBy(() -> put("refused", "v"))
          .isInstanceOfSatisfying(
              DBReadOnlyException.class, refused -> assertThat(refused.isResumable()).isTrue());
    }
    faulty.heal();
    checkContents();
    db.admin().resume();
    write("after", "the resume");
    work.run();
    checkContents();
    assertThat(get("refused")).isEqualTo(NOT_FOUND);
    await("the end of the jobs", () -> liveTables() == files(FileName.Kind.TABLE).size());
    reopen();
    checkContents();
    assertThat(liveTables()).isEqualTo(files(FileName.Kind.TABLE).size());
  }

  private int liveTables() {
    AtomicInteger count = new AtomicInteger();
    parts().versions().current().forEachFileNumber(number -> count.incrementAndGet());
    return count.get();
  }

  @Test
  void resume_afterAFaultAtAnyStepOfAFlush_makesTheDatabaseWritable() {
    int steps = 0;
    boolean more = true;
    while (more) {
      openFaulty();
      for (int i = 0; i < 50; i++) {
        write(key(i), key(i).repeat(50));
      }
      failAfter(steps);
      checkResumed(db.admin()::flush);
      more = faulty.injected() > 0;
      steps++;
      close();
    }
    assertThat(steps).isGreaterThan(5);
  }

  @Test
  void resume_afterAFaultAtAnyStepOfACompaction_makesTheDatabaseWritable() {
    int steps = 0;
    boolean more = true;
    while (more) {
      openFaulty();
      for (int round = 0; round < 2; round++) {
        for (int i = 0; i < 50; i++) {
          write(key(i), key(i + round).repeat(50));
        }
        db.admin().flush();
      }
      failAfter(steps);
      checkResumed(() -> db.admin().compactRange(null, null));
      more = faulty.injected() > 0;
      steps++;
      close();
    }
    assertThat(steps).isGreaterThan(8);
  }

  @Test
  void resume_whileTheFaultLasts_throwsAndSucceedsAfterIt() {
    openFaulty();
    write("k", "v");
    faulty.fail(Fault.NO_SPACE, Long.MAX_VALUE, ResumeTest::isOnTable);
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> db.admin().resume())
          .isInstanceOfSatisfying(
              DBReadOnlyException.class, e -> assertThat(e.isResumable()).isTrue())
          .hasStackTraceContaining("No space left on device");
    }
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
    faulty.heal();
    db.admin().resume();
    write("k2", "v2");
    db.admin().flush();
    checkContents();
  }

  @ParameterizedTest
  @CsvSource({"WRITE, MANIFEST", "SYNC, MANIFEST", "SYNC_DIRECTORY, db"})
  void resume_afterAFailedInstall_throwsUntilAReopen(Kind kind, String file) {
    openFaulty();
    write("k", "v");
    faulty.fail(
        Fault.ERROR,
        1,
        each ->
            each.kind() == kind
                && each.path().getFileName().toString().startsWith(file)
                && Thread.currentThread().getName().equals("kv-flush"));
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    assertThat(faulty.injected()).isEqualTo(1);
    checkNotResumable();
  }

  @Test
  void resume_afterAFlushWithoutADescriptorForTheDirectory_makesTheDatabaseWritable() {
    openFaulty();
    write("k", "v");
    AtomicBoolean limited = new AtomicBoolean(true);
    faulty =
        new FaultEnv(
            new ForwardingEnv(faulty) {
              @Override
              public void syncDirectory(Path synced) throws IOException {
                if (limited.get() && Thread.currentThread().getName().equals("kv-flush")) {
                  throw new FileSystemException(synced.toString(), null, "Too many open files");
                }
                super.syncDirectory(synced);
              }
            });
    reopen(defaults().toBuilder().env(faulty).build());
    write("k2", "v2");
    assertThatThrownBy(() -> db.admin().flush())
        .isInstanceOfSatisfying(
            DBReadOnlyException.class, e -> assertThat(e.isResumable()).isTrue())
        .hasStackTraceContaining("Too many open files");
    limited.set(false);
    db.admin().resume();
    write("k3", "v3");
    db.admin().flush();
    checkContents();
    reopen();
    checkContents();
  }

  @Test
  void put_firstAfterAnOpen_withoutAManifest_isNotDoneAndMayBeTriedAgain() {
    openFaulty();
    write("k", "v");
    db.admin().flush();
    reopen();
    faulty.fail(
        Fault.ERROR,
        1,
        each ->
            each.kind() == Kind.CREATE
                && each.path().getFileName().toString().startsWith("MANIFEST"));
    assertThatThrownBy(() -> put("k2", "v2"))
        .isExactlyInstanceOf(DBIOException.class)
        .hasMessageContaining("the write was not done and may be tried again");
    assertThat(faulty.injected()).isEqualTo(1);
    write("k2", "v3");
    checkContents();
    reopen();
    checkContents();
  }

  @ParameterizedTest
  @EnumSource(names = {"STORE", "WRITE", "SYNC"})
  void resume_afterAFailedWriteOrSyncOfTheLog_throwsUntilAReopen(Kind kind) {
    openFaulty();
    write("k", "v");
    faulty.fail(Fault.ERROR, 1, each -> each.kind() == kind && each.isOn(".log"));
    try {
      db.put(WriteOptions.SYNC, b("k2"), b("v2"));
      assertThat(faulty.injected()).isZero(); // a log is written in one of the two ways
    } catch (OutcomeUnknownException e) {
      assertThat(e).hasMessageContaining("unknown");
      checkNotResumable();
    }
  }

  private void checkNotResumable() {
    int tables = files(FileName.Kind.TABLE).size();
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(() -> db.admin().resume())
          .isInstanceOfSatisfying(
              DBReadOnlyException.class, e -> assertThat(e.isResumable()).isFalse())
          .hasMessageContaining("close it and open it again");
      assertThatThrownBy(() -> put("refused", "v")).isInstanceOf(DBReadOnlyException.class);
    }
    assertThat(files(FileName.Kind.TABLE)).hasSize(tables);
    checkContents();
    reopen();
    checkContents();
    write("after", "the reopen");
  }

  @Test
  void put_noRoomToExtendTheLog_isNotDoneAndMayBeTriedAgain() {
    openFaultyOnDisk();
    write("k", "v");
    faulty.fail(
        Fault.NO_SPACE,
        Long.MAX_VALUE,
        each -> each.kind() == Kind.RESERVE || each.kind() == Kind.CREATE);
    int before = acknowledged.size();
    DBException failure = null;
    for (int i = 0; failure == null; i++) {
      try {
        write(key(i), "v".repeat(10_000));
      } catch (DBException e) {
        failure = e;
      }
    }
    assertThat(failure)
        .isExactlyInstanceOf(DBIOException.class)
        .hasMessageContaining("the write was not done and may be tried again")
        .hasStackTraceContaining("No space left on device");
    assertThat(acknowledged.size()).isGreaterThan(before);
    faulty.heal();
    for (int i = 1000; i < 1100; i++) {
      write(key(i), "v".repeat(10_000));
    }
    checkContents();
    reopen();
    checkContents();
  }

  private void openFaultyOnDisk() {
    faulty = new FaultEnv(Env.fileSystem());
    open(defaults().toBuilder().env(faulty).build());
  }

  @Test
  void resume_withoutAFailure_doesNothing() {
    openFaulty();
    db.admin().resume();
    write("k", "v");
    db.admin().resume();
    checkContents();
  }

  @Test
  void resume_afterTheClose_throws() {
    openFaulty();
    close();
    assertThatThrownBy(() -> db.admin().resume()).isInstanceOf(DBClosedException.class);
  }
}

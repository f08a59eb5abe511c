package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.core.Bytes;
import dev.kv.core.Sneaky;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.logging.CapturedLog;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.manifest.VersionInstall;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.errors.DBException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.OutcomeUnknownException;
import dev.kv.event.DBEvent;
import dev.kv.event.SyncEvent;
import dev.kv.options.LogRetention;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The logs of an open database, without memtables: what is synced, deleted and reported. */
class WriteAheadLogTest {
  private final StrictMemEnv disk = new StrictMemEnv();
  private final FaultEnv env = new FaultEnv(disk);
  private final Path directory = Path.of("/db");
  private final List<DBEvent> heard = new ArrayList<>();
  private final AtomicInteger maintenance = new AtomicInteger();
  private Duration slowSync = Duration.ZERO;
  private ErrorHandler errors;
  private DatabaseContext context;
  private VersionSet versions;
  private @Nullable RetainedLogs kept;
  private ObsoleteFiles obsolete;
  private WriteAheadLog logs;

  @BeforeEach
  void createDatabase() throws IOException {
    env.createDirectory(directory);
    env.syncDirectory(directory.getParent());
    open(Options.builder());
    NewDatabase.create(context.manifestContext());
    versions.recover(false);
  }

  private void open(Options.Builder options) {
    Options complete =
        options.env(env).monitoring(m -> m.listener(heard::add).slowSync(slowSync)).build();
    context = new DatabaseContext(directory, complete);
    errors = new ErrorHandler(new Events("db", null));
    versions = new VersionSet(context.manifestContext(), () -> {});
    kept = RetainedLogs.of(context);
    logs = withoutLogs();
  }

  private WriteAheadLog withoutLogs() {
    obsolete = new ObsoleteFiles(context, versions, errors, kept);
    return new WriteAheadLog(
        context, versions, obsolete, errors, kept, maintenance::incrementAndGet);
  }

  private void reopen(Options.Builder options) throws IOException {
    close();
    open(options);
    versions.recover(false);
  }

  @AfterEach
  void close() throws IOException {
    env.heal();
    try {
      expectNoLockHeld();
      logs.close();
      expectNoLockHeld();
    } finally {
      versions.close();
      context.close();
    }
  }

  /** Expects that another thread can take each lock. */
  private void expectNoLockHeld() {
    Thread other =
        new Thread(
            () -> {
              logs.lengths();
              logs.newLogs().deletePrepared();
            });
    other.setDaemon(true);
    other.start();
    DbTestBase.await("the locks", () -> !other.isAlive());
  }

  private WriteAheadLog.NumberedLog current() {
    WriteAheadLog.NumberedLog log = logs.current();
    assertThat(log).isNotNull();
    return log;
  }

  private void append(String record, boolean sync) throws IOException {
    byte[] bytes = Bytes.bytes(record);
    logs.append(Bytes.direct(bytes), bytes.length, sync);
  }

  /** Begins the first log, or the next one. */
  private WriteAheadLog.NumberedLog begin() throws IOException {
    WriteAheadLog.NumberedLog before = logs.current();
    if (before == null) {
      logs.begin(logs.createFirst(() -> {}));
    } else {
      logs.addOlder(before);
      logs.begin(logs.newLogs().prepared());
      logs.newLogs().removePrepared();
    }
    return current();
  }

  private static List<String> records(Env env, Path file) throws IOException {
    List<String> records = new ArrayList<>();
    RecordBuffer record = new RecordBuffer();
    try (LogReader reader = new LogReader(env, file, (at, bytes, what, torn) -> {})) {
      while (reader.readRecord(record)) {
        byte[] bytes = new byte[record.length()];
        record.buffer().get(0, bytes);
        records.add(new String(bytes, StandardCharsets.UTF_8));
      }
    } catch (NoSuchFileException e) {
      records.add("no file");
    }
    return records;
  }

  /** Returns the records of a log after a loss of everything that is not synced. */
  private List<String> durable(WriteAheadLog.NumberedLog log) throws IOException {
    return records(disk.crashClone(0, 1), FileNames.log(directory, log.number()));
  }

  private List<Long> logFiles() throws IOException {
    return env.list(directory).stream()
        .map(FileNames::parse)
        .filter(file -> file != null && file.kind() == FileName.Kind.LOG)
        .map(FileName::number)
        .sorted()
        .toList();
  }

  @Test
  void append_withSync_makesTheOlderLogsDurableToo() throws IOException {
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    WriteAheadLog.NumberedLog second = begin();
    append("2", false);
    assertThat(durable(first)).isEmpty();
    assertThat(logs.syncs()).isZero();
    append("3", true);
    assertThat(durable(first)).containsExactly("1");
    assertThat(durable(second)).containsExactly("2", "3");
    assertThat(logs.syncs()).isEqualTo(1);
    append("", true);
    assertThat(logs.syncs()).isEqualTo(2);
    assertThat(records(env, FileNames.log(directory, second.number()))).containsExactly("2", "3");
  }

  @Test
  void sync_thatIsSlow_isAnEventWithItsTime() throws IOException {
    begin();
    append("1", true);
    append("2", true);
    context.events().deliverAll();
    assertThat(heard).hasSize(2).allMatch(SyncEvent.class::isInstance);
    long micros = heard.stream().mapToLong(event -> ((SyncEvent) event).micros()).sum();
    assertThat(logs.syncMicros()).isBetween(micros, micros + 2);
  }

  @Test
  void sync_thatIsNotSlow_isNoEvent() throws IOException {
    slowSync = Duration.ofDays(1);
    reopen(Options.builder());
    begin();
    append("1", true);
    context.events().deliverAll();
    assertThat(heard).isEmpty();
    assertThat(logs.syncs()).isEqualTo(1);
  }

  @Test
  void syncTo_aPlace_makesTheRecordsBeforeItDurable() throws IOException {
    assertThat(logs.position(0)).as("without a log").isNull();
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    WriteAheadLog.Position inFirst = logs.position(1);
    assertThat(inFirst).isNotNull();
    assertThat(inFirst.log()).isSameAs(first.writer());
    assertThat(inFirst.end()).isEqualTo(first.writer().length());
    WriteAheadLog.NumberedLog second = begin();
    append("2", false);
    WriteAheadLog.Position inSecond = logs.position(2);
    assertThat(inSecond).isNotNull();
    WriteAheadLog.NumberedLog third = begin();
    append("3", false);
    WriteAheadLog.Position inThird = logs.position(3);
    assertThat(inThird).isNotNull();
    append("4", false);

    logs.syncTo(inFirst);
    assertThat(durable(first)).containsExactly("1");
    assertThat(durable(second)).as("it comes after that place").isEmpty();
    logs.syncTo(inThird);
    assertThat(durable(second)).containsExactly("2");
    assertThat(durable(third)).startsWith("3");
    assertThat(logs.syncs()).isEqualTo(2);
    context.events().deliverAll();
    assertThat(heard).hasSize(2);
  }

  @Test
  void syncTo_aPlaceInALogWhoseMemtableWasFlushed_syncsNothing() throws IOException {
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    WriteAheadLog.Position inFirst = logs.position(1);
    assertThat(inFirst).isNotNull();
    WriteAheadLog.NumberedLog second = begin();
    append("2", false);
    logs.retire(first);
    logs.syncTo(inFirst);
    assertThat(durable(second)).isEmpty();
    assertThat(durable(first)).isEmpty();
  }

  @Test
  void syncTo_thatFails_refusesLaterWrites() throws IOException {
    begin();
    append("1", false);
    WriteAheadLog.Position place = logs.position(1);
    assertThat(place).isNotNull();
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.SYNC);
    assertThatThrownBy(() -> logs.syncTo(place))
        .isInstanceOf(OutcomeUnknownException.class)
        .hasMessageContaining("unknown whether the last writes survive");
    assertThat(errors.isFailedPermanently()).isTrue();
    assertThat(logs.syncs()).isZero();
  }

  @Test
  void lengths_ofTheLiveLogs_areTheirRecordsOldestFirst() throws IOException {
    assertThat(logs.lengths()).isEmpty();
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    WriteAheadLog.NumberedLog second = begin();
    append("22", false);
    assertThat(logs.lengths())
        .containsExactly(
            Map.entry(FileNames.log(directory, first.number()), 8L),
            Map.entry(FileNames.log(directory, second.number()), 9L));
    logs.retire(first);
    assertThat(logs.lengths()).hasSize(1);
  }

  @Test
  void createFirst_withoutAManifest_leavesNoLog() throws IOException {
    env.fail(
        Fault.ERROR,
        1,
        each -> each.kind() == Kind.CREATE && each.path().toString().contains("MANIFEST"));
    assertThatThrownBy(() -> logs.createFirst(() -> {})).isInstanceOf(DBException.class);
    assertThat(logFiles()).isEmpty();
    assertThat(errors.isFailedPermanently()).isFalse();
    begin();
    append("1", true);
    assertThat(durable(current())).containsExactly("1");
  }

  @Test
  void create_thatFails_leavesNoLog() throws IOException {
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.RESERVE);
    assertThatThrownBy(logs.newLogs()::create).isInstanceOf(IOException.class);
    assertThat(logFiles()).isEmpty();
    errors.check();
  }

  /** The next sync of the directory would succeed, and may not cover a table created before. */
  @Test
  void create_whoseDirectoryCannotBeSynced_refusesWritesForGood() throws IOException {
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.SYNC_DIRECTORY);
    assertThatThrownBy(logs.newLogs()::create).isInstanceOf(IOException.class);
    assertThat(logFiles()).isEmpty();
    assertThat(errors.isFailedPermanently()).isTrue();
  }

  @Test
  void prepareNext_whoseDirectoryCannotBeSynced_refusesWritesForGood() {
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.SYNC_DIRECTORY);
    logs.newLogs().prepareNext();
    assertThat(errors.isFailedPermanently()).isTrue();
  }

  @Test
  void create_whoseDirectoryCannotBeOpened_mayBeTriedAgain() throws IOException {
    env.watch(
        each -> {
          if (each.kind() == Kind.SYNC_DIRECTORY) {
            throw Sneaky.unchecked(
                new FileSystemException(directory.toString(), null, "Too many open files"));
          }
        });
    assertThatThrownBy(logs.newLogs()::create).isInstanceOf(FileSystemException.class);
    assertThat(logFiles()).isEmpty();
    errors.check();
    env.watch(each -> {});
    begin();
  }

  @Test
  void prepareNext_once_isTheNextLog() throws IOException {
    begin();
    logs.newLogs().prepareNext();
    List<Long> prepared = logFiles();
    assertThat(prepared).hasSize(2);
    logs.newLogs().prepareNext();
    assertThat(logFiles()).isEqualTo(prepared);
    assertThat(begin().number()).isEqualTo(prepared.get(1));
    logs.newLogs().prepareNext();
    assertThat(logFiles()).hasSize(3);
    logs.newLogs().deletePrepared();
    assertThat(logFiles()).isEqualTo(prepared);
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.CREATE);
    logs.newLogs().prepareNext();
    assertThat(logFiles()).isEqualTo(prepared);
  }

  @Test
  void reserveAhead_whenTheLogNeedsIt_extendsIt() throws IOException {
    assertThat(logs.reserveAhead()).as("without a log").isFalse();
    WriteAheadLog.NumberedLog log = begin();
    assertThat(logs.reserveAhead()).isTrue();
    while (!log.writer().needsReserve()) {
      assertThat(maintenance).hasValue(0);
      append("x".repeat(10_000), false);
    }
    assertThat(maintenance).hasPositiveValue();
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.RESERVE);
    assertThat(logs.reserveAhead()).isFalse();
    assertThat(log.writer().needsReserve()).isTrue();
    assertThat(logs.reserveAhead()).isTrue();
    assertThat(log.writer().needsReserve()).isFalse();
  }

  /** The record is in the log, so the write must not fail. */
  @Test
  void append_ifARequestForRoomIsLost_asksAgain() throws IOException {
    WriteAheadLog.NumberedLog log = begin();
    while (maintenance.get() < 3) {
      append("x".repeat(1000), false);
    }
    assertThat(log.writer().needsReserve()).isTrue();
    errors.check();
    append("last", true);
    assertThat(durable(log)).endsWith("last");
  }

  @Test
  void syncKept_ofALogThatWillOnlyBeKept_makesItDurable() throws IOException {
    WriteAheadLog.NumberedLog unkept = begin();
    append("0", false);
    logs.syncKept(unkept, 0);
    assertThat(durable(unkept)).as("without retention").isEmpty();

    reopen(Options.builder().logRetention(LogRetention.ofBytes(7)));
    RetainedLogs retained = kept;
    assertThat(retained).isNotNull();
    WriteAheadLog.NumberedLog first = begin();
    retained.begin(List.of(), 0, first.number(), true);
    append("1", false);
    logs.committed(1, false);
    assertThat(retained.progress().last(false)).isEqualTo(1);
    begin();
    append("2", false);
    logs.committed(2, false);
    logs.syncKept(first, 1);
    assertThat(durable(first)).containsExactly("1");
    assertThat(retained.progress().last(true)).isEqualTo(1);
    retained.trim(current().number());
    assertThat(retained.oldest()).as("its 8 bytes count").isEqualTo(current().number());
    WriteAheadLog.Position place = logs.position(2);
    assertThat(place).isNotNull();
    logs.syncTo(place);
    assertThat(retained.progress().last(true)).isEqualTo(2);
    logs.committed(3, true);
    assertThat(retained.progress().last(true)).isEqualTo(3);
    logs.retire(first);
    assertThat(env.size(FileNames.log(directory, first.number())))
        .as("takes no more space than its record")
        .isEqualTo(8);
  }

  @Test
  void syncKept_thatFails_refusesLaterWrites() throws IOException {
    reopen(Options.builder().logRetention(LogRetention.ofBytes(10)));
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.SYNC);
    assertThatThrownBy(() -> logs.syncKept(first, 1)).isInstanceOf(DBIOException.class);
    assertThat(errors.isFailedPermanently()).isTrue();
  }

  @Test
  void retire_ofAFlushedLog_makesItDeletable() throws IOException {
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    WriteAheadLog.NumberedLog second = begin();
    VersionEdit edit = VersionEdit.builder().logNumber(second.number()).build();
    versions.logAndApply(VersionInstall.of(edit, () -> {}));
    obsolete.collect();
    assertThat(logFiles()).containsExactly(first.number(), second.number());
    logs.retire(first);
    obsolete.collect();
    assertThat(logFiles()).containsExactly(second.number());
  }

  /** The MANIFEST may name it. */
  @Test
  void createFirst_whoseManifestFails_keepsTheLogAndRefusesWrites() throws IOException {
    env.fail(
        Fault.ERROR,
        1,
        each -> each.kind() == Kind.SYNC && each.path().toString().contains("MANIFEST"));
    assertThatThrownBy(() -> logs.createFirst(() -> {})).isInstanceOf(DBIOException.class);
    assertThat(errors.isFailedPermanently()).isTrue();
    assertThat(logFiles()).hasSize(1);
  }

  @Test
  void close_withAPreparedLog_deletesIt() throws IOException {
    begin();
    logs.newLogs().prepareNext();
    assertThat(logFiles()).hasSize(2);
    logs.close();
    assertThat(logFiles()).hasSize(1);
    logs = withoutLogs();
  }

  @Test
  void close_ofAnOlderLogThatFails_throws() throws IOException {
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    begin();
    append("2", false);
    Path file = FileNames.log(directory, first.number());
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.CUT && each.path().equals(file));
    assertThatThrownBy(logs::close).isInstanceOf(IOException.class);
    logs = withoutLogs();
  }

  @Test
  void retire_ofALogWhoseCloseFails_isOnlyLogged() throws IOException {
    WriteAheadLog.NumberedLog first = begin();
    append("1", false);
    begin();
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.CLOSE);
    try (CapturedLog log = new CapturedLog()) {
      logs.retire(first);
      assertThat(log.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains(first.number() + ".log failed"));
    }
  }

  @Test
  void close_ofSeveralLogsThatFail_closesAllAndThrowsTheFirstFailure() throws IOException {
    begin();
    append("1", false);
    begin();
    append("2", false);
    env.fail(Fault.ERROR, Long.MAX_VALUE, each -> each.kind() == Kind.CUT);
    assertThatThrownBy(logs::close)
        .isInstanceOf(IOException.class)
        .satisfies(e -> assertThat(e.getSuppressed()).hasSize(1));
    logs = withoutLogs(); // the others are closed
  }

  @Test
  void close_ifTheEnvFailsUncheckedForOneLog_closesTheOthersAndDeletesThePreparedOne()
      throws IOException {
    begin();
    append("1", false);
    begin();
    append("2", false);
    logs.newLogs().prepareNext();
    AtomicInteger cuts = new AtomicInteger();
    env.watch(
        each -> {
          if (each.kind() == Kind.CUT && cuts.incrementAndGet() == 1) {
            throw new IllegalStateException("of an Env");
          }
        });
    assertThatThrownBy(logs::close)
        .isInstanceOf(IllegalStateException.class)
        .hasNoSuppressedExceptions();
    assertThat(cuts).hasValue(2);
    assertThat(logFiles()).hasSize(2);
    env.watch(each -> {});
    logs = withoutLogs();
  }

  @Test
  void logFirst_ofARecovery_isTheOldestLogOfTheManifest() throws IOException {
    WriteAheadLog.NumberedLog first = logs.newLogs().create();
    logs.logFirst(first, VersionEdit.builder().lastSequence(7), () -> {});
    logs.begin(first);
    assertThat(versions.logNumber()).isEqualTo(first.number());
  }
}

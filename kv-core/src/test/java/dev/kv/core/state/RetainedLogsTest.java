package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Options;
import dev.kv.change.ChangePosition;
import dev.kv.core.EnvFiles;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.logging.CapturedLog;
import dev.kv.core.state.RetainedLogs.Kept;
import dev.kv.env.WritableFile;
import dev.kv.errors.ChangesLostException;
import dev.kv.options.LogRetention;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Which logs exceed the bounds of the retention, and what is durable when. */
class RetainedLogsTest {
  private static final Path DIRECTORY = Path.of("/db");

  private static final Duration AGE = Duration.ofMillis(1000);

  private static final List<Kept> LOGS =
      List.of(new Kept(3, 100, 5000), new Kept(5, 100, 5400), new Kept(8, 100, 5900));

  private static int countToDrop(long bytes, long nowMillis) {
    return RetainedLogs.countToDrop(
        LOGS, LogRetention.builder().bytes(bytes).age(AGE).build(), nowMillis);
  }

  @Test
  void countToDrop_byAge_isTheLogsThatAreOlder() {
    assertThat(countToDrop(300, 5900)).isZero();
    assertThat(countToDrop(300, 6000)).isZero();
    assertThat(countToDrop(300, 6001)).isEqualTo(1);
    assertThat(countToDrop(300, 6401)).isEqualTo(2);
    assertThat(countToDrop(300, 6901)).isEqualTo(3);
  }

  @Test
  void countToDrop_byBothBounds_isTheLargerNumber() {
    assertThat(countToDrop(299, 6000)).isEqualTo(1);
    assertThat(countToDrop(100, 6001)).isEqualTo(2);
    assertThat(countToDrop(299, 6401)).isEqualTo(2);
    assertThat(countToDrop(0, 5900)).isEqualTo(3);
  }

  @Test
  void countToDrop_clockSetBack_keepsTheLogs() {
    assertThat(countToDrop(300, 0)).isZero();
  }

  @Test
  void countToDrop_logsFromBeforeAClockWasSetBack_areAsOldAsTheNextOne() {
    long now = Duration.ofDays(1000).toMillis();
    long year = Duration.ofDays(365).toMillis();
    long day = Duration.ofDays(1).toMillis();
    List<Kept> logs =
        List.of(
            new Kept(3, 100, now + year),
            new Kept(4, 100, now + year + 1),
            new Kept(5, 0, 0), // without records
            new Kept(6, 100, now - 10 * day),
            new Kept(7, 100, now - 9 * day));
    assertThat(countToDrop(logs, Duration.ofDays(11), now)).isZero();
    assertThat(countToDrop(logs, Duration.ofDays(10).minusMillis(1), now)).isEqualTo(4);
    assertThat(countToDrop(logs, Duration.ofDays(1), now)).isEqualTo(5);
  }

  private static int countToDrop(List<Kept> logs, Duration age, long nowMillis) {
    return RetainedLogs.countToDrop(logs, LogRetention.builder().age(age).build(), nowMillis);
  }

  @Test
  void countToDrop_unusedLog_keepsNoLaterLog() {
    List<Kept> logs = List.of(new Kept(3, 100, 5000), new Kept(5, 0, 0), new Kept(8, 100, 5900));
    LogRetention retention = LogRetention.builder().bytes(300).age(AGE).build();
    assertThat(RetainedLogs.countToDrop(logs, retention, 6000)).isZero();
    assertThat(RetainedLogs.countToDrop(logs, retention, 6001)).isEqualTo(2);
    assertThat(RetainedLogs.countToDrop(logs, retention, 6901)).isEqualTo(3);
  }

  @Test
  void countToDrop_ofBytes_hasNoBoundForTheAge() {
    LogRetention retention = LogRetention.ofBytes(300);
    assertThat(RetainedLogs.countToDrop(LOGS, retention, Long.MAX_VALUE)).isZero();
  }

  private final StrictMemEnv disk = new StrictMemEnv();
  private final FaultEnv env = new FaultEnv(disk);
  private @Nullable DatabaseContext context;

  @AfterEach
  void close() {
    if (context != null) {
      context.close();
    }
  }

  /** Returns the retained logs of an open of the database in {@code env}. */
  private RetainedLogs open(long bytes) throws IOException {
    close();
    if (!disk.exists(DIRECTORY)) {
      env.createDirectory(DIRECTORY);
      env.syncDirectory(DIRECTORY.getParent());
    }
    Options options = Options.builder().env(env).logRetention(LogRetention.ofBytes(bytes)).build();
    context = new DatabaseContext(DIRECTORY, options);
    RetainedLogs logs = RetainedLogs.of(context);
    assertThat(logs).isNotNull();
    return logs;
  }

  private void log(long number, int size) throws IOException {
    EnvFiles.write(env, FileNames.log(DIRECTORY, number), new byte[size]);
  }

  private static List<FileName> files(long... logs) {
    return Arrays.stream(logs)
        .mapToObj(log -> new FileName(FileName.Kind.LOG, log, log + ".log"))
        .toList();
  }

  /** Begins an incarnation, and returns the warnings of that. */
  private static List<String> begin(
      RetainedLogs logs, List<FileName> files, long sequence, long log, boolean isPrefix)
      throws IOException {
    try (CapturedLog captured = new CapturedLog()) {
      logs.begin(files, sequence, log, isPrefix);
      return captured.lines("WARN");
    }
  }

  @Test
  void of_optionsWithoutRetention_isNull() throws IOException {
    context = new DatabaseContext(DIRECTORY, Options.builder().env(env).build());
    assertThat(RetainedLogs.of(context)).isNull();
  }

  @Test
  void begin_afterAnOpenWhoseLogsAreThere_continuesItsHistory() throws IOException {
    RetainedLogs first = open(1000);
    assertThat(first.oldest()).isZero();
    assertThat(begin(first, List.of(), 0, 3, true)).isEmpty();
    assertThat(first.oldest()).isEqualTo(3);
    ChangePosition before = first.position(5);
    RetainedLogs second = open(1000);
    assertThat(begin(second, files(3), 10, 5, true)).isEmpty();
    assertThat(second.oldest()).isEqualTo(3);
    second.check(before);
    second.check(first.position(10));
    ChangePosition lost = first.position(11);
    assertThatThrownBy(() -> second.check(lost))
        .isInstanceOf(ChangesLostException.class)
        .hasMessageContaining("the writes after sequence 10 were lost");
    second.check(second.position(10));
    ChangePosition later = second.position(11);
    assertThatThrownBy(() -> second.check(later)).isInstanceOf(IllegalArgumentException.class);
    assertThat(second.lastIn(3)).isEqualTo(10);
    assertThat(second.lastIn(5)).isEqualTo(Long.MAX_VALUE);
    assertThat(second.progress().last(true)).isEqualTo(10);
  }

  @Test
  void begin_withoutTheOldestLogOrAPrefix_beginsAnewAndWarns() throws IOException {
    RetainedLogs first = open(1000);
    first.begin(List.of(), 0, 3, true);
    ChangePosition before = first.position(5);
    RetainedLogs second = open(1000);
    assertThat(begin(second, files(4), 10, 5, true))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("at sequence 10", "another program"));
    assertThat(second.oldest()).isEqualTo(5);
    assertThatThrownBy(() -> second.check(before)).isInstanceOf(ChangesLostException.class);
    RetainedLogs third = open(1000);
    assertThat(begin(third, files(5), 12, 7, false))
        .singleElement()
        .satisfies(line -> assertThat(line).contains("at sequence 12", "lost before the last one"));
    assertThat(third.oldest()).isEqualTo(7);
  }

  @Test
  void forget_whenItReturns_isDurable() throws IOException {
    open(1000).begin(List.of(), 0, 3, true);
    assertThat(disk.crashClone(0, 1).exists(DIRECTORY.resolve("CHANGES"))).isTrue();
    RetainedLogs.forget(env, DIRECTORY);
    assertThat(disk.crashClone(0, 1).exists(DIRECTORY.resolve("CHANGES"))).isFalse();
  }

  @Test
  void syncReplayed_logsOfARecovery_areDurable() throws IOException {
    RetainedLogs logs = open(1000);
    Path file = FileNames.log(DIRECTORY, 3);
    try (WritableFile written = env.createWritable(file)) {
      written.append(ByteBuffer.wrap(new byte[100]));
    }
    env.syncDirectory(DIRECTORY);
    assertThat(disk.crashClone(0, 1).size(file)).isZero();
    logs.syncReplayed(List.of(3L));
    assertThat(disk.crashClone(0, 1).size(file)).isEqualTo(100);
  }

  @Test
  void numbers_ofLogs_areThoseFromTheOldestOn() throws IOException {
    RetainedLogs logs = open(1000);
    log(2, 1);
    log(12, 1);
    log(5, 1);
    log(3, 1);
    EnvFiles.write(env, FileNames.table(DIRECTORY, 8), new byte[1]);
    EnvFiles.write(env, DIRECTORY.resolve("notes"), new byte[1]);
    logs.begin(List.of(), 0, 3, true);
    assertThat(logs.numbers()).containsExactly(3L, 5L, 12L);
  }

  @Test
  void trim_ofLogsThatEnded_dropsThoseBeyondTheBound() throws IOException {
    RetainedLogs logs = open(100);
    logs.trim(5); // before the incarnation, does nothing
    logs.begin(List.of(), 0, 3, true);
    for (long number : new long[] {3, 5, 7}) {
      log(number, 1);
    }
    logs.ended(3, 60);
    logs.ended(5, 60);
    long operations = env.operations();
    logs.trim(5);
    assertThat(logs.oldest()).as("log 5 is live").isEqualTo(3);
    assertThat(env.operations() - operations).as("only lists the directory").isEqualTo(1);
    logs.trim(7);
    assertThat(logs.oldest()).isEqualTo(5);
    assertThat(Incarnations.read(disk.crashClone(0, 1), DIRECTORY).oldestLog()).isEqualTo(5);
    logs.ended(7, 200);
    log(9, 1);
    logs.trim(9);
    assertThat(logs.oldest()).as("all that are only kept").isEqualTo(9);
  }

  @Test
  void trim_ofLogsOfAnEarlierOpen_takesTheirSizes() throws IOException {
    open(0).begin(List.of(), 0, 3, true);
    log(3, 60);
    log(5, 60);
    RetainedLogs second = open(100);
    second.begin(files(3, 5), 10, 7, true);
    log(7, 500); // was prepared and not used
    log(9, 1);
    second.trim(9);
    assertThat(second.oldest()).isEqualTo(5);
  }

  @Test
  void trim_ofAnEarlierOpenByAge_countsFromTheNextOpen() throws IOException {
    open(0).begin(List.of(), 0, 3, true);
    log(3, 60);
    close();
    Options options =
        Options.builder()
            .env(env)
            .logRetention(LogRetention.builder().bytes(1000).age(Duration.ofDays(1)).build())
            .build();
    context = new DatabaseContext(DIRECTORY, options);
    RetainedLogs second = RetainedLogs.of(context);
    assertThat(second).isNotNull();
    second.begin(files(3), 10, 5, true);
    log(5, 1);
    second.trim(5);
    assertThat(second.oldest()).isEqualTo(3);
  }

  @Test
  void firstLogOf_aLog_isThatOfTheIncarnationThatWroteIt() throws IOException {
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 3)).as("without CHANGES").isZero();
    open(0).begin(List.of(), 0, 3, true);
    RetainedLogs.of(context).begin(files(3), 10, 9, true); // failed, and log 9 was deleted
    log(3, 1);
    log(8, 1);
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 2)).isZero();
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 8)).isEqualTo(3);
    log(10, 1); // of another program
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 10)).isZero();
    RetainedLogs third = RetainedLogs.of(context);
    third.begin(files(3, 8), 10, 7, true);
    log(7, 1);
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 6)).isEqualTo(3);
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 10)).isEqualTo(7);
    third.ended(7, 1);
    third.trim(8);
    env.delete(FileNames.log(DIRECTORY, 7));
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 10)).as("after a trim").isEqualTo(7);
    env.delete(FileNames.log(DIRECTORY, 8));
    assertThat(RetainedLogs.firstLogOf(env, DIRECTORY, 10)).as("without the oldest").isZero();
  }

  @Test
  void trim_thatFails_keepsTheLogsAndWarns() throws IOException {
    RetainedLogs logs = open(0);
    logs.begin(List.of(), 0, 3, true);
    log(3, 1);
    log(5, 1);
    logs.ended(3, 60);
    env.fail(FaultEnv.Fault.ERROR, 1, each -> each.kind() == FaultEnv.Kind.RENAME);
    try (CapturedLog captured = new CapturedLog()) {
      logs.trim(5);
      assertThat(captured.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("logs are kept longer than asked for"));
    }
    assertThat(logs.oldest()).isEqualTo(3);
    logs.trim(5);
    assertThat(logs.oldest()).isEqualTo(5);
  }
}

package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.state.RetainedLogs.Kept;
import dev.kv.options.LogRetention;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests which logs exceed the bounds of the retention, at a time that the test chooses. */
class RetainedLogsTest {
  private static final Duration AGE = Duration.ofMillis(1000);

  private static final List<Kept> LOGS =
      List.of(new Kept(3, 100, 5000), new Kept(5, 100, 5400), new Kept(8, 100, 5900));

  private static int countToDrop(long bytes, long nowMillis) {
    return RetainedLogs.countToDrop(LOGS, new LogRetention(bytes, AGE), nowMillis);
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
  void countToDrop_unusedLog_keepsNoLaterLog() {
    List<Kept> logs = List.of(new Kept(3, 100, 5000), new Kept(5, 0, 0), new Kept(8, 100, 5900));
    LogRetention retention = new LogRetention(300, AGE);
    assertThat(RetainedLogs.countToDrop(logs, retention, 6000)).isZero();
    assertThat(RetainedLogs.countToDrop(logs, retention, 6001)).isEqualTo(2);
    assertThat(RetainedLogs.countToDrop(logs, retention, 6901)).isEqualTo(3);
  }

  @Test
  void countToDrop_ofBytes_hasNoBoundForTheAge() {
    LogRetention retention = LogRetention.ofBytes(300);
    assertThat(RetainedLogs.countToDrop(LOGS, retention, Long.MAX_VALUE)).isZero();
  }
}

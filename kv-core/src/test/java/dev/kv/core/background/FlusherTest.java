package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.DBReadOnlyException;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

class FlusherTest extends DbTestBase {

  /** Otherwise the next edit would name a sequence number that only an unsynced log has. */
  @Test
  void flush_thatFailsBeforeItsEditIsLogged_leavesTheLastSequence() {
    AtomicBoolean failing = new AtomicBoolean();
    DBComparator comparator =
        DBComparator.of(
            "test.Failing",
            (a, b) -> {
              if (failing.get() && isInPrepare()) {
                throw new IllegalStateException("simulated");
              }
              return a.compareTo(b);
            });
    open(defaults().toBuilder().comparator(comparator).build());
    put("a", "1");
    db.admin().flush();
    put("a", "2");
    long before = parts().versions().lastSequence();
    failing.set(true);
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    assertThat(parts().versions().lastSequence()).isEqualTo(before);
    failing.set(false);
    db.admin().resume();
    assertThat(parts().versions().lastSequence()).isEqualTo(before + 1);
    reopen();
    assertThat(get("a")).isEqualTo("2");
  }

  private static boolean isInPrepare() {
    return StackWalker.getInstance()
        .walk(frames -> frames.anyMatch(frame -> frame.getMethodName().equals("prepare")));
  }
}

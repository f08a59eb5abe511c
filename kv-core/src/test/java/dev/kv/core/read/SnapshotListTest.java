package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.Snapshot;
import dev.kv.errors.DBClosedException;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

final class SnapshotListTest {
  private final AtomicLong last = new AtomicLong(5);
  private final SnapshotList list = new SnapshotList(last::get);

  private SnapshotImpl acquire() {
    return list.acquire(null); // nothing is read
  }

  @Test
  void sequences_withoutSnapshots_areNone() {
    assertThat(list.sequences()).isEmpty();
    assertThat(list.count()).isZero();
  }

  @Test
  void snapshots_closedInAnyOrder_leaveTheOthers() {
    SnapshotImpl first = acquire();
    last.set(6);
    SnapshotImpl second = acquire();
    SnapshotImpl same = acquire();
    last.set(7);
    SnapshotImpl third = acquire();
    last.set(8);
    assertThat(list.sequences()).containsExactly(5, 6, 6, 7);
    assertThat(list.count()).isEqualTo(4);

    second.close();
    second.close();
    assertThat(list.sequences()).containsExactly(5, 6, 7);
    first.close();
    assertThat(list.sequences()).containsExactly(6, 7);
    third.close();
    assertThat(list.sequences()).containsExactly(6);
    same.close();
    assertThat(list.sequences()).isEmpty();
    assertThat(list.count()).isZero();
    assertThat(acquire().sequence()).isEqualTo(8);
  }

  @Test
  void pinKept_ofAForeignOrClosedSnapshot_isRefused() {
    SnapshotImpl ours = acquire();
    assertThat(list.pinKept(ours, 0)).isNull();
    assertThat(SnapshotList.sequenceOf(ours)).isEqualTo(5);
    Snapshot foreign = new SnapshotList(last::get).acquire(null);
    assertThatThrownBy(() -> list.pinKept(foreign, 0)).isInstanceOf(IllegalArgumentException.class);
    ours.close();
    assertThatThrownBy(() -> list.pinKept(ours, 0)).isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_ofTheList_endsEveryUseButTheClose() {
    SnapshotImpl snapshot = acquire();
    list.close();
    assertThatThrownBy(snapshot::sequence).isInstanceOf(DBClosedException.class);
    assertThatThrownBy(this::acquire).isInstanceOf(DBClosedException.class);
    snapshot.close();
    snapshot.close();
  }
}

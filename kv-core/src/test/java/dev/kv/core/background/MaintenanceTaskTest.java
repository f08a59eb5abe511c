package dev.kv.core.background;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.env.Env;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import org.junit.jupiter.api.Test;

class MaintenanceTaskTest extends DbTestBase {
  private final FaultEnv env = new FaultEnv(Env.inMemory());

  /** Asks for the memory of the memtable, as another database does. */
  private void wantSwitch() {
    parts().memTables().stallInputs().wantSwitch(true);
    parts().wakeups().maintenanceWanted();
  }

  @Test
  void memtable_whoseMemoryIsWanted_isFlushedWithoutAWrite() {
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    wantSwitch();
    await("the flush", () -> files(FileName.Kind.TABLE).size() == 1);
    assertThat(get("a")).isEqualTo("1");
  }

  @Test
  void memtable_whoseMemoryIsWantedAndThatIsEmpty_isKept() {
    open(defaults().toBuilder().env(env).build());
    wantSwitch();
    await("the look", () -> !parts().memTables().stallInputs().isSwitchWanted());
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
  }

  /** The flush is only early: nobody is refused anything for it. */
  @Test
  void memtable_whoseNextLogCannotBeCreated_isFlushedLater() {
    open(defaults().toBuilder().env(env).build());
    put("a", "1");
    env.fail(
        Fault.NO_SPACE,
        Long.MAX_VALUE,
        operation -> operation.kind() == Kind.CREATE && operation.isOn(".log"));
    wantSwitch();
    await("the failure", () -> env.injected() > 0);
    assertThat(files(FileName.Kind.TABLE)).isEmpty();
    env.heal();
    put("b", "2");
    wantSwitch();
    await("the flush", () -> !files(FileName.Kind.TABLE).isEmpty());
    assertThat(contents()).isEqualTo("(a->1)(b->2)");
  }
}

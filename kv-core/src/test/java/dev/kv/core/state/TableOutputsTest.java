package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.core.event.Events;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.table.block.AllocationMeter;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class TableOutputsTest {
  private final DatabaseContext context =
      new DatabaseContext(Path.of("/db"), Options.builder().env(Env.inMemory()).build());
  private final AtomicLong next = new AtomicLong(7);
  private final List<Long> settled = new ArrayList<>();
  private final TableOutputs outputs =
      new TableOutputs(context, next::getAndIncrement, settled::add);

  @AfterEach
  void close() {
    context.close();
  }

  @Test
  void settle_afterAJob_settlesTheNumbersThatItTook() {
    outputs.settle();
    assertThat(settled).isEmpty();
    assertThat(outputs.context().target().numbers().getAsLong()).isEqualTo(7);
    assertThat(outputs.context().target().numbers().getAsLong()).isEqualTo(8);
    assertThat(settled).isEmpty();
    outputs.settle();
    assertThat(settled).containsExactly(7L, 8L);
  }

  /** An install that has no memory makes the database read-only. */
  @Test
  void settle_allocatesNothing() {
    try (VersionSet versions = new VersionSet(context.manifestContext(), () -> {})) {
      versions.markFileNumberUsed(1000); // the JDK keeps no objects for such numbers
      ErrorHandler errors = new ErrorHandler(new Events("db", null));
      ObsoleteFiles obsolete = new ObsoleteFiles(context, versions, errors, null);
      TableOutputs pending =
          new TableOutputs(context, obsolete::newPendingNumber, obsolete::settle);
      assertThat(pending.context().target().numbers().getAsLong()).isGreaterThan(1000);
      assertThat(AllocationMeter.bytes(pending::settle)).isZero();
    }
  }

  @Test
  void abandon_ofAJob_settlesTheNumbersThatItTook() {
    assertThat(outputs.context().target().numbers().getAsLong()).isEqualTo(7);
    outputs.abandon();
    assertThat(settled).containsExactly(7L);
  }
}

package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
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

  @Test
  void abandon_ofAJob_settlesTheNumbersThatItTook() {
    assertThat(outputs.context().target().numbers().getAsLong()).isEqualTo(7);
    outputs.abandon();
    assertThat(settled).containsExactly(7L);
  }
}

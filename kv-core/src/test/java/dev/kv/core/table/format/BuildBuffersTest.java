package dev.kv.core.table.format;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.table.TableBench;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.options.CompressionType;
import org.junit.jupiter.api.Test;

class BuildBuffersTest {

  /** Whatever part of the memory a budget has no room for. */
  @Test
  void create_anyBudget_holdsNothingWhereItThrows() {
    TableFormat format = TableBench.format(4096, 16, CompressionType.SNAPPY);
    int refused = 0;
    long limit = 1;
    for (boolean made = false; !made; limit += 64) {
      OffHeapBudget budget = new OffHeapBudget(limit);
      try (BuildBuffers buffers = new BuildBuffers(format, budget)) {
        assertThat(budget.used()).isPositive();
        made = true;
      } catch (OffHeapExhaustedException e) {
        refused++;
      }
      assertThat(budget.used()).as("limit %d", limit).isZero();
    }
    assertThat(refused).isGreaterThan(1000);
  }
}

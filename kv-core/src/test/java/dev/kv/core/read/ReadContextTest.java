package dev.kv.core.read;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.memory.OffHeapBudget;
import dev.kv.errors.OffHeapExhaustedException;
import org.junit.jupiter.api.Test;

class ReadContextTest {
  @Test
  void create_budgetOfEachSize_givesBackWhatItTookWhereItFails() {
    int failed = 0;
    for (long limit = 1; ; limit++) {
      OffHeapBudget budget = new OffHeapBudget(limit);
      try (ReadContext context = new ReadContext(budget, new LookupStats())) {
        assertThat(budget.used()).isBetween(1L, limit);
        assertThat(context.isReusable()).isTrue();
        break;
      } catch (OffHeapExhaustedException e) {
        failed++;
      } finally {
        assertThat(budget.used()).as("of " + limit).isBetween(0L, limit);
      }
      assertThat(budget.used()).as("left of " + limit).isZero();
    }
    assertThat(failed).isGreaterThan(200);
  }
}

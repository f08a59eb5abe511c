package dev.kv.core.compaction;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Slice;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionText;
import dev.kv.options.CompactionFilter;
import dev.kv.options.CompactionFilter.Decision;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class EntryFilterTest {
  private final OffHeapBudget budget = new OffHeapBudget(0);
  private final Version deeper = VersionText.version(List.of("+L3 9:30 m@3..p@3"));
  private final List<String> asked = new ArrayList<>();

  private EntryFilter filter(CompactionFilter filter, boolean hasSnapshots) {
    return new EntryFilter(
        (level, key, value) -> {
          asked.add(level + key.toUtf8String() + "=" + value.toUtf8String());
          return filter.filter(level, key, value);
        },
        2,
        new BaseLevelCheck(deeper, 3),
        hasSnapshots,
        budget);
  }

  private static EntryList entry(String line) {
    EntryList entries = new EntryList(List.of(line));
    entries.seekToFirst();
    return entries;
  }

  @Test
  void keep_ofAnEntry_passesLevelKeyAndValue() {
    try (EntryFilter filter = filter((level, key, value) -> Decision.KEEP, false)) {
      assertThat(filter.keeps(entry("a@5 1"), true)).isTrue();
      assertThat(asked).hasSize(1);
      assertThat(asked.get(0)).startsWith("2a=");
      assertThat(filter.keeps(entry("b@5 1"), false)).isTrue();
      assertThat(asked).as("one that may not be changed is not passed").hasSize(1);
      assertThat(filter.result()).isEqualTo(FilterResult.NONE);
      assertThat(filter.result().hasChanges()).isFalse();
    }
    assertThat(budget.used()).isZero();
  }

  @Test
  void drop_leavesATombstoneIfThereIsSomethingToHide() {
    try (EntryFilter filter = filter((level, key, value) -> Decision.DROP, false)) {
      assertThat(filter.keeps(entry("a@5 1"), true)).as("nothing deeper").isFalse();
      assertThat(filter.keeps(entry("n@5 1"), true)).as("a deeper table covers it").isTrue();
      assertThat(filter.keeps(entry("z@5 1"), true)).isFalse();
      assertThat(filter.result().dropped()).isEqualTo(3);
      assertThat(filter.result().hasChanges()).isTrue();
    }
    try (EntryFilter filter = filter((level, key, value) -> Decision.DROP, true)) {
      assertThat(filter.keeps(entry("a@5 1"), true)).as("a snapshot").isTrue();
    }
  }

  @Test
  void replace_isCounted() {
    byte[] other = {1, 2, 3};
    try (EntryFilter filter = filter((level, key, value) -> Decision.replace(other), false)) {
      assertThat(filter.keeps(entry("a@5 1"), true)).isTrue();
      assertThat(filter.result()).isEqualTo(new FilterResult(0, 1, null));
      assertThat(filter.result().hasChanges()).isTrue();
    }
  }

  @Test
  void failure_ofTheFilter_keepsThisAndAllLaterEntries() {
    IllegalStateException own = new IllegalStateException("own");
    StackOverflowError deep = new StackOverflowError();
    for (Throwable thrown : List.of(own, deep)) {
      asked.clear();
      try (EntryFilter filter =
          filter(
              (level, key, value) -> {
                if (thrown instanceof Error error) {
                  throw error;
                }
                throw own;
              },
              false)) {
        assertThat(filter.keeps(entry("a@5 1"), true)).isTrue();
        assertThat(filter.keeps(entry("b@5 1"), true)).isTrue();
        assertThat(asked).hasSize(1);
        assertThat(filter.result()).isEqualTo(new FilterResult(0, 0, thrown));
      }
    }
    try (EntryFilter filter = filter((level, key, value) -> null, false)) {
      assertThat(filter.keeps(entry("a@5 1"), true)).isTrue();
      assertThat(filter.result().failure()).hasMessageContaining("returned null");
    }
    OutOfMemoryError memory = new OutOfMemoryError("of the test");
    try (EntryFilter filter =
        filter(
            (level, key, value) -> {
              throw memory;
            },
            false)) {
      assertThatThrownBy(() -> filter.keeps(entry("a@5 1"), true)).isSameAs(memory);
    }
  }

  @Test
  void slices_afterTheCall_areRevoked() {
    List<Slice> kept = new ArrayList<>();
    try (EntryFilter filter =
        filter(
            (level, key, value) -> {
              kept.add(key);
              kept.add(value);
              return Decision.KEEP;
            },
            false)) {
      filter.keeps(entry("a@5 1"), true);
      for (Slice each : kept) {
        assertThatThrownBy(each::length).isInstanceOf(IllegalStateException.class);
      }
    }
  }
}

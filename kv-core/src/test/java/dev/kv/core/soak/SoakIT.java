package dev.kv.core.soak;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the soak for a few seconds, or for {@code -Dkv.soak.seconds}. In a long run, the resources
 * held must not grow from the second quarter to the last; a short one is too short to tell.
 */
@Tag("slow")
class SoakIT {
  private static final int QUICK = 6;
  private static final int LONG = 3600;
  private static final int FIGURES_TO_JUDGE = 40;

  @TempDir Path temp;

  @Test
  void mixedLoad_overTime_agreesWithTheModelAndIfLongDoesNotGrow() throws Exception {
    long seed = Long.getLong("kv.seed", 20_260_101);
    int seconds =
        Integer.getInteger("kv.soak.seconds", Boolean.getBoolean("kv.long") ? LONG : QUICK);
    Soak soak = new Soak(temp.resolve("db"), seed, Long.getLong("kv.soak.pause", 100));
    System.out.println("soak of " + seconds + " s, seed " + seed);
    soak.run(seconds, Math.max(2, Math.min(30, seconds / 3)), seconds > 600 ? 10 : 1);
    List<Held> held = soak.held();
    assertThat(held).isNotEmpty();
    if (held.size() >= FIGURES_TO_JUDGE) {
      int quarter = held.size() / 4;
      List<Held> early = held.subList(quarter, 2 * quarter);
      List<Held> late = held.subList(held.size() - quarter, held.size());
      String[] names = Held.HEADING.split(" ");
      for (int i = 0; i < names.length; i++) {
        long before = largest(early, i);
        long after = largest(late, i);
        System.out.println(names[i] + ": at most " + before + " early, " + after + " late");
        assertThat(after).as(names[i]).isLessThanOrEqualTo(before + before / 4 + slack(names[i]));
      }
    }
  }

  private static long largest(List<Held> figures, int index) {
    return figures.stream().mapToLong(each -> each.figures().get(index)).max().orElse(0);
  }

  /** Returns how much a resource may vary: KiB of memory, or a number of files or threads. */
  private static long slack(String name) {
    return switch (name) {
      case "mappings" -> 100;
      case "descriptors", "threads" -> 10;
      default -> 8 << 10;
    };
  }
}

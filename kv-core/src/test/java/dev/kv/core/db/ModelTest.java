package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.SharedResources;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.db.ModelRun.Step;
import dev.kv.env.Env;
import dev.kv.options.CompressionType;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Random steps in step with a map, under several configurations. Where they fail, a small part of
 * them that still does is told; a line for it in {@code seeds/ModelTest.txt} keeps it.
 */
@Timeout(value = 60, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ModelTest extends DbTestBase {
  private static final boolean LONG = Boolean.getBoolean("kv.long");
  private static final int STEPS = LONG ? 100_000 : 25_000;

  /** The long size is 10^8 steps over all configurations. */
  private static final int ROUNDS = Integer.getInteger("kv.model.rounds", LONG ? 125 : 1);

  private static final long SEED = Long.getLong("kv.model.seed", 301);
  private static final int ATTEMPTS = 3;
  private static final long SHRINKING_NANOS = TimeUnit.MINUTES.toNanos(2);

  private static final DBComparator REVERSE =
      new DBComparator() {
        @Override
        public String name() {
          return "test.Reverse";
        }

        @Override
        public int compare(Slice a, Slice b) {
          return b.compareTo(a);
        }
      };

  private static long done;
  private int runs;

  enum Setting {
    DEFAULT {
      @Override
      Options.Builder set(Options.Builder options) {
        return options;
      }
    },
    TINY_BUFFERS {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(64 << 10).maxFileSize(1 << 20).blockSize(1 << 10);
      }
    },
    NO_CACHE_FEW_FILES {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .blockCacheSize(0)
            .maxOpenFiles(74)
            .memory(m -> m.maxMappedTables(2))
            .compression(CompressionType.NONE);
      }
    },
    REUSE_LOGS {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(128 << 10).reuseLogs(true);
      }
    },
    ZSTD_AND_FILTER {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .compression(CompressionType.ZSTD)
            .filterPolicy(FilterPolicy.bloom(10));
      }
    },
    REVERSE_COMPARATOR {
      @Override
      Options.Builder set(Options.Builder options) {
        return options.writeBufferSize(64 << 10).comparator(REVERSE).blockRestartInterval(1);
      }
    },
    IN_MEMORY_PARALLEL {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .env(Env.inMemory())
            .tables(t -> t.nativeSnappy(false))
            .compaction(c -> c.maxBackground(3));
      }
    },
    SHARED_RESOURCES {
      @Override
      Options.Builder set(Options.Builder options) {
        return options
            .writeBufferSize(64 << 10)
            .sharedResources(SharedResources.builder().blockCacheSize(256 << 10).build());
      }
    };

    abstract Options.Builder set(Options.Builder options);
  }

  @AfterAll
  static void report() {
    System.out.println("ModelTest: steps " + done);
  }

  @ParameterizedTest
  @EnumSource(names = {"DEFAULT", "TINY_BUFFERS", "IN_MEMORY_PARALLEL"})
  void operations_atRandom_agreeWithAMap(Setting setting) {
    operateAtRandom(setting);
  }

  @ParameterizedTest
  @Tag("slow")
  @EnumSource(
      mode = EnumSource.Mode.EXCLUDE,
      names = {"DEFAULT", "TINY_BUFFERS", "IN_MEMORY_PARALLEL"})
  void operations_atRandomInOtherSettings_agreeWithAMap(Setting setting) {
    operateAtRandom(setting);
  }

  private void operateAtRandom(Setting setting) {
    for (int round = 0; round < ROUNDS; round++) {
      long seed = SEED + 100L * round + setting.ordinal();
      List<Step> steps = ModelRun.steps(seed, STEPS);
      try {
        run(setting, steps);
      } catch (RuntimeException | AssertionError e) {
        List<Step> fewer =
            Shrinker.shrink(steps, part -> failsInOneOf(ATTEMPTS, setting, part), SHRINKING_NANOS);
        throw new AssertionError(
            "-Dkv.model.seed=" + SEED + ", round " + round + ": " + line(setting, fewer), e);
      }
      done += STEPS;
    }
  }

  private void run(Setting setting, List<Step> steps) {
    Options with = setting.set(Options.builder().createIfMissing(true)).build();
    try {
      run(with, setting == Setting.REVERSE_COMPARATOR, steps);
    } finally {
      SharedResources shared = with.sharedResources();
      if (shared != null) {
        shared.close();
      }
    }
  }

  private void run(Options with, boolean reversed, List<Step> steps) {
    try (ModelRun run = new ModelRun(temp.resolve("run" + runs++), with, reversed)) {
      run.run(steps);
    }
  }

  /** What threads do meanwhile is not in the steps, so that a failure need not come each time. */
  private boolean failsInOneOf(int attempts, Setting setting, List<Step> steps) {
    for (int i = 0; i < attempts; i++) {
      try {
        run(setting, steps);
      } catch (RuntimeException | AssertionError e) {
        return true;
      }
    }
    return false;
  }

  private static String line(Setting setting, List<Step> steps) {
    return setting + " " + steps.stream().map(Step::toString).collect(Collectors.joining(" "));
  }

  static Stream<String> kept() throws IOException {
    try (BufferedReader in =
        new BufferedReader(
            new InputStreamReader(
                Objects.requireNonNull(ModelTest.class.getResourceAsStream("/seeds/ModelTest.txt")),
                StandardCharsets.US_ASCII))) {
      return in.lines().filter(line -> !line.isBlank() && !line.startsWith("#")).toList().stream();
    }
  }

  /** What failed once, and a sample of each step. */
  @ParameterizedTest
  @MethodSource("kept")
  void operations_kept_agreeWithAMap(String line) {
    String[] words = line.split(" ");
    List<Step> steps = Arrays.stream(words).skip(1).map(Step::parse).toList();
    assertThat(line(Setting.valueOf(words[0]), steps)).isEqualTo(line);
    run(Setting.valueOf(words[0]), steps);
  }

  @Test
  void steps_ofASeed_areTheSameAgainAndOfEachKind() {
    List<Step> steps = ModelRun.steps(SEED, STEPS);
    assertThat(ModelRun.steps(SEED, STEPS)).isEqualTo(steps);
    Set<ModelRun.Kind> kinds = steps.stream().map(Step::kind).collect(Collectors.toSet());
    assertThat(kinds).containsExactlyInAnyOrder(ModelRun.Kind.values());
  }

  @Test
  void run_thatEndedInACheckpoint_leavesNothingToTheNext() {
    List<Step> steps = List.of(new Step(ModelRun.Kind.CHECKPOINT, 1));
    run(defaults(), false, steps);
    assertThat(temp).isEmptyDirectory();
    run(defaults(), false, steps);
  }

  @Test
  void shrink_failureOfAFewSteps_findsThem() {
    List<Step> steps = ModelRun.steps(SEED, 3000);
    List<Step> guilty = List.of(steps.get(700), steps.get(701), steps.get(2300));
    List<Step> found = Shrinker.shrink(steps, part -> part.containsAll(guilty), SHRINKING_NANOS);
    assertThat(found).isEqualTo(guilty);
  }

  /** A map in another order than the database's: one batch or two writes are enough to see it. */
  @Test
  void run_inAnotherOrder_failsAndIsMadeSmall() {
    List<Step> steps = ModelRun.steps(SEED, 200);
    assertThatThrownBy(() -> run(defaults(), true, steps)).hasStackTraceContaining("expected");
    List<Step> found = Shrinker.shrink(steps, this::failsReversed, SHRINKING_NANOS);
    assertThat(found).hasSizeBetween(1, 2);
  }

  private boolean failsReversed(List<Step> steps) {
    try {
      run(defaults(), true, steps);
      return false;
    } catch (AssertionError e) {
      return true;
    }
  }
}

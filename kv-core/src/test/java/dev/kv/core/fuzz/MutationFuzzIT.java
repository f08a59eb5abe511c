package dev.kv.core.fuzz;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.net.URL;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Runs each target for a few seconds with random mutations of the corpus, without guidance. {@code
 * -Dkv.seed} repeats a run, and {@code -Dkv.fuzz.millis} sets the time for each target. An input
 * that fails is written to a file, which can be added to the corpus.
 */
@Tag("slow")
@Timeout(600)
class MutationFuzzIT {
  private static final long DEFAULT_SEED = 20_260_101;
  private static final int LARGEST = 1 << 16;

  /** Values at which the encoding of lengths, counts and varints changes. */
  private static final int[] EDGES = {0, 1, 2, 7, 0x7f, 0x80, 0xff, 0x100, 0x7fff, 0x8000, 0xffff};

  static Stream<String> targets() {
    return FuzzTargets.all().keySet().stream();
  }

  @ParameterizedTest
  @MethodSource("targets")
  void target_randomMutationsOfTheCorpus_behaves(String name) throws IOException {
    long seed = Long.getLong("kv.seed", DEFAULT_SEED);
    long millis = Long.getLong("kv.fuzz.millis", millis(name));
    Consumer<byte[]> target = Objects.requireNonNull(FuzzTargets.all().get(name));
    List<byte[]> corpus = corpus(name);
    Random random = new Random(seed);
    long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
    int runs = 0;
    do {
      byte[] input = mutated(corpus, random);
      try {
        target.accept(input);
      } catch (Throwable e) {
        Path found = Path.of("target", "fuzz-" + name + "-" + seed + "-" + runs);
        Files.write(found, input);
        throw new AssertionError(name + ", seed " + seed + ", run " + runs + ": " + found, e);
      }
      runs++;
    } while (System.nanoTime() < end);
    System.out.println(name + ": " + runs + " mutations, seed " + seed);
    assertThat(runs).isPositive();
  }

  /** Returns the time for a target. Tables and directories are slower by orders of magnitude. */
  private static long millis(String name) {
    if (Boolean.getBoolean("kv.long")) {
      return 60_000;
    }
    return switch (name) {
      case "table", "directory" -> 3_000;
      case "repairAndDump" -> 2_000;
      default -> 500;
    };
  }

  private static List<byte[]> corpus(String name) {
    URL directory = FuzzIT.class.getResource("FuzzITInputs/" + name);
    assertThat(directory).as("corpus of " + name).isNotNull();
    try (Stream<Path> files = Files.list(Path.of(directory.toURI()))) {
      List<byte[]> inputs = files.sorted().map(MutationFuzzIT::read).toList();
      assertThat(inputs).as("corpus of " + name).isNotEmpty();
      return inputs;
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }

  private static byte[] read(Path file) {
    try {
      return Files.readAllBytes(file);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static byte[] mutated(List<byte[]> corpus, Random random) {
    byte[] input = corpus.get(random.nextInt(corpus.size())).clone();
    for (int i = random.nextInt(6); i >= 0; i--) {
      input = mutatedOnce(input, corpus, random);
    }
    return input.length > LARGEST ? Arrays.copyOf(input, LARGEST) : input;
  }

  private static byte[] mutatedOnce(byte[] input, List<byte[]> corpus, Random random) {
    if (input.length == 0) {
      return new byte[] {(byte) random.nextInt()};
    }
    int at = random.nextInt(input.length);
    switch (random.nextInt(9)) {
      case 0 -> input[at] = (byte) random.nextInt();
      case 1 -> input[at] ^= (byte) (1 << random.nextInt(8));
      case 2 -> input[at] += (byte) (random.nextInt(9) - 4);
      case 3 -> putNumber(input, at, EDGES[random.nextInt(EDGES.length)], random.nextInt(1, 5));
      case 4 -> putNumber(input, at, -1 - random.nextInt(3), random.nextInt(1, 9));
      case 5 -> {
        return Arrays.copyOf(input, at);
      }
      case 6 -> {
        return spliced(input, at, at, copied(input, random));
      }
      case 7 -> {
        int end = Math.min(input.length, at + random.nextInt(1, 17));
        return spliced(input, at, end, new byte[0]);
      }
      default -> {
        return spliced(
            input, at, input.length, copied(corpus.get(random.nextInt(corpus.size())), random));
      }
    }
    return input;
  }

  private static void putNumber(byte[] input, int at, int number, int bytes) {
    for (int i = 0; i < bytes && at + i < input.length; i++) {
      input[at + i] = (byte) (number >> Math.min(31, 8 * i));
    }
  }

  private static byte[] copied(byte[] from, Random random) {
    int begin = random.nextInt(from.length + 1);
    return Arrays.copyOfRange(from, begin, Math.min(from.length, begin + random.nextInt(1, 64)));
  }

  private static byte[] spliced(byte[] input, int from, int to, byte[] middle) {
    byte[] result = Arrays.copyOf(input, from + middle.length + input.length - to);
    System.arraycopy(middle, 0, result, from, middle.length);
    System.arraycopy(input, to, result, from + middle.length, input.length - to);
    return result;
  }
}

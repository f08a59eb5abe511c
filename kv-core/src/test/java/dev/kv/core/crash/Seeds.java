package dev.kv.core.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.LongStream;

/**
 * The seeds of a test: first the seeds that once failed, which are the lines of {@code
 * seeds/<test>.txt}, and then {@code count} others. {@code -Dkv.seed=} runs a single seed, {@code
 * -Dkv.seeds=} sets the number of others, and {@code -Dkv.firstSeed=} the first of them.
 */
final class Seeds {
  static final boolean LONG = Boolean.getBoolean("kv.long");

  private Seeds() {}

  /** Returns the seeds for {@code test}: {@code quick} or {@code inLong} of them, by the size. */
  static LongStream of(Class<?> test, int quick, int inLong) {
    Long only = Long.getLong("kv.seed");
    if (only != null) {
      return LongStream.of(only);
    }
    int count = Integer.getInteger("kv.seeds", LONG ? inLong : quick);
    long first = Long.getLong("kv.firstSeed", 1);
    return LongStream.concat(kept(test), LongStream.range(first, first + count));
  }

  private static LongStream kept(Class<?> test) {
    String name = "/seeds/" + test.getSimpleName() + ".txt";
    try (InputStream in = test.getResourceAsStream(name)) {
      if (in == null) {
        return LongStream.empty();
      }
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(in, StandardCharsets.US_ASCII));
      long[] seeds =
          lines
              .lines()
              .filter(line -> !line.isBlank() && !line.startsWith("#"))
              .mapToLong(line -> Long.parseLong(line.strip()))
              .toArray();
      return LongStream.of(seeds);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns how to repeat a failed test and where to record its seed, for a message. */
  static String again(Class<?> test, long seed) {
    String name = test.getSimpleName();
    return "seed "
        + seed
        + ": -Dtest="
        + name
        + " -Dkv.seed="
        + seed
        + "; keep it in src/test/resources/seeds/"
        + name
        + ".txt";
  }
}

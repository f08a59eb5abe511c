package dev.kv.core.crash;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.stream.LongStream;

/**
 * The seeds that a test runs with: first those that ever failed, which {@code seeds/<test>.txt}
 * keeps one a line, then {@code count} others. {@code -Dkv.seed=} gives one alone, {@code
 * -Dkv.seeds=} another number of them, {@code -Dkv.firstSeed=} another first one.
 */
final class Seeds {
  static final boolean LONG = Boolean.getBoolean("kv.long");

  private Seeds() {}

  /** Returns the seeds for {@code test}, so many of them in the quick and in the long size. */
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

  /** Returns what to do again, and where to keep it, for the message of a failure. */
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

package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Dump;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.change.ChangeGroup;
import dev.kv.change.Changes;
import dev.kv.core.Children;
import dev.kv.errors.OffHeapExhaustedException;
import dev.kv.options.LogRetention;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * What could be written can be opened, repaired, dumped and followed with the same memory, after a
 * kill. {@code -Dkv.long} takes more limits and sizes, and reads all of them: the quick size reads
 * the largest ones, and the one that fills a memtable.
 */
@Tag("slow")
class RecoveryMemoryTest {
  private static final boolean LONG = Boolean.getBoolean("kv.long");
  private static final int LARGEST = 18 << 20;
  private static final int STEP = LONG ? 3 << 15 : 3 << 20;

  /** How close the largest write that succeeded is to one that was refused. */
  private static final int CLOSE = LONG ? 8 << 10 : 64 << 10;

  /** A value that just fits into a memtable of the usual size, which is kept for the next one. */
  private static final int FULL_MEMTABLE = 63 << 16;

  /** The number of sizes of which the quick size reads the copies, besides that one. */
  private static final int LARGEST_READ = 3;

  private static final String KILLED = "killed";

  private static final String HEAP = "192m";

  /** The text of a dump is on the heap: up to four characters for each byte, several times. */
  private static final String DUMP_HEAP = "768m";

  @TempDir Path dir;

  static Stream<Arguments> limits() {
    List<Arguments> limits = new ArrayList<>();
    limits.add(Arguments.of("12m", 0, false));
    limits.add(Arguments.of("32m", 0, false));
    limits.add(Arguments.of("256m", 32 << 20, true));
    for (int size = 16; LONG && size <= 48; size += 16) {
      limits.add(Arguments.of(size + "m", 0, true));
      limits.add(Arguments.of("256m", size << 20, false));
    }
    return limits.stream();
  }

  /**
   * Writes values of growing sizes, up to the largest that is not refused, each to a database of
   * its own whose files it copies after the write was acknowledged, or reads these copies in one
   * way.
   */
  static final class Child {
    private final Options options;
    private final boolean batch;
    private final String way;

    private Child(long limit, boolean batch, String way) {
      this.options =
          Options.builder()
              .createIfMissing(true)
              .memory(m -> m.offHeapLimit(limit))
              .logRetention(LogRetention.ofBytes(64 << 20))
              .build();
      this.batch = batch;
      this.way = way;
    }

    public static void main(String[] arguments) throws Exception {
      Path dir = Path.of(arguments[0]);
      Child child =
          new Child(Long.parseLong(arguments[1]), Boolean.parseBoolean(arguments[2]), arguments[3]);
      if (child.way.equals("write")) {
        child.writeAll(dir);
        return;
      }
      for (String size : arguments[4].split(",")) {
        System.out.println(size + " " + child.answer(dir, Integer.parseInt(size)));
      }
    }

    /** Writes values of every size, and then of sizes between the last two that differ. */
    private void writeAll(Path dir) throws Exception {
      int done = 0;
      int refused = 0;
      for (int size = STEP; size <= LARGEST; size += STEP) {
        if (isWritten(dir, size)) {
          done = size;
        } else if (refused < done) {
          refused = size;
        }
      }
      if (!LONG) {
        isWritten(dir, FULL_MEMTABLE); // one of all sizes
      }
      while (refused > done + CLOSE) {
        int size = (done + refused) / 2;
        if (isWritten(dir, size)) {
          done = size;
        } else {
          refused = size;
        }
      }
    }

    private boolean isWritten(Path dir, int size) throws Exception {
      String answer = answer(dir, size);
      System.out.println(size + " " + answer);
      return answer.equals("done");
    }

    private String answer(Path dir, int size) throws Exception {
      Path killed = dir.resolve(KILLED + size);
      try {
        if (way.equals("write")) {
          write(dir.resolve("db" + size), killed, size);
          return "done";
        }
        Path copy = dir.resolve(way + size);
        copyFiles(killed, copy);
        return read(copy, size) ? "done" : "lost";
      } catch (OffHeapExhaustedException e) {
        return "failed: " + e.getMessage();
      }
    }

    private byte[] value(int size) {
      byte[] value = new byte[size / (batch ? 2 : 1)];
      new Random(size).nextBytes(value);
      return value;
    }

    private void write(Path path, Path copy, int size) throws IOException {
      byte[] value = value(size);
      try (DB db = DB.open(path, options)) {
        if (batch) {
          WriteBatch two = WriteBatch.create();
          two.put(new byte[] {1}, value).put(new byte[] {2}, value);
          db.write(two);
        } else {
          db.put(new byte[] {1}, value);
        }
        copyFiles(path, copy);
      }
    }

    private boolean read(Path copy, int size) throws Exception {
      return switch (way) {
        case "open" -> isThere(copy, size);
        case "repair" -> {
          DB.repair(copy, options);
          yield isThere(copy, size);
        }
        case "dump" -> dumped(copy) > size;
        case "follow" -> followed(copy) > size;
        default -> throw new IllegalArgumentException(way);
      };
    }

    private boolean isThere(Path copy, int size) {
      try (DB db = DB.open(copy, options)) {
        return Arrays.equals(db.get(new byte[] {1}), value(size));
      }
    }

    private long dumped(Path copy) throws IOException {
      AtomicLong characters = new AtomicLong();
      try (Stream<Path> files = Files.list(copy)) {
        for (Path file : (Iterable<Path>) files::iterator) {
          if (file.toString().endsWith(".log")) {
            Dump.file(file, options, line -> characters.addAndGet(line.length()));
          }
        }
      }
      return characters.get();
    }

    private long followed(Path copy) throws InterruptedException {
      try (DB db = DB.open(copy, options);
          Changes changes = db.changes().open(db.changes().oldestPosition())) {
        ChangeGroup group = changes.poll();
        return group == null ? 0 : group.size();
      }
    }

    private static void copyFiles(Path from, Path to) throws IOException {
      Files.createDirectory(to);
      List<Path> files = new ArrayList<>();
      try (Stream<Path> list = Files.list(from)) {
        list.filter(file -> !file.endsWith("LOCK")).forEach(files::add);
      }
      for (Path file : files) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  @ParameterizedTest
  @MethodSource("limits")
  void everyWayToReadAWrite_ofAnySize_needsNoMoreMemoryThanTheWrite(
      String direct, long limit, boolean batch) throws IOException, InterruptedException {
    List<Integer> written =
        run(direct, limit, batch, "write", List.of())
            .lines()
            .filter(line -> line.endsWith(" done"))
            .map(line -> Integer.valueOf(line.substring(0, line.indexOf(' '))))
            .sorted()
            .toList();
    assertThat(written).isNotEmpty();
    List<Integer> read =
        IntStream.range(0, written.size())
            .filter(
                i -> LONG || i >= written.size() - LARGEST_READ || written.get(i) == FULL_MEMTABLE)
            .mapToObj(written::get)
            .toList();
    for (String way : List.of("open", "repair", "dump", "follow")) {
      String output = run(direct, limit, batch, way, read);
      assertThat(output.lines().filter(line -> line.matches("\\d+ .*")))
          .as("%s\n%s", way, output)
          .hasSameSizeAs(read)
          .allMatch(line -> line.endsWith(" done"));
    }
  }

  private String run(String direct, long limit, boolean batch, String way, List<Integer> sizes)
      throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(
            List.of(
                "-XX:MaxDirectMemorySize=" + direct,
                "-Xmx" + (way.equals("dump") ? DUMP_HEAP : HEAP),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "-Dkv.long=" + LONG),
            Child.class,
            dir.toString(),
            Long.toString(limit),
            Boolean.toString(batch),
            way,
            sizes.stream().map(String::valueOf).collect(Collectors.joining(",")));
    assertThat(child.exitCode()).as("%s\n%s", way, child.output()).isZero();
    return child.output();
  }
}

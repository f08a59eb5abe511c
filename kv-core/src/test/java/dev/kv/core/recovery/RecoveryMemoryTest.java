package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.core.Children;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What could be written can be opened with the same memory, after a kill. */
class RecoveryMemoryTest {
  private static final int STEP = 3 << 19;
  private static final int LARGEST = 12 * STEP;

  @TempDir Path dir;

  /**
   * Writes values of growing sizes, each to a database of its own whose files it copies after the
   * write was acknowledged, or opens these copies.
   */
  static final class Child {
    private Child() {}

    public static void main(String[] arguments) throws IOException {
      Path dir = Path.of(arguments[0]);
      Options options =
          Options.builder()
              .createIfMissing(true)
              .memory(m -> m.offHeapLimit(Long.parseLong(arguments[1])))
              .build();
      int step = Integer.parseInt(arguments[2]);
      boolean batch = Boolean.parseBoolean(arguments[3]);
      for (int size = step; size <= LARGEST; size += step) {
        Path path = dir.resolve("db" + size);
        Path copy = dir.resolve("killed" + size);
        String answer;
        try {
          if (arguments[4].equals("write")) {
            answer = write(path, copy, options, size, batch);
          } else {
            answer = Files.exists(copy) ? open(copy, options, size, batch) : "refused";
          }
        } catch (OffHeapExhaustedException e) {
          answer = "failed: " + e.getMessage();
        }
        System.out.println(size + " " + answer);
      }
    }

    private static String write(Path path, Path copy, Options options, int size, boolean batch)
        throws IOException {
      byte[] value = new byte[size / (batch ? 2 : 1)];
      new Random(size).nextBytes(value);
      try (DB db = DB.open(path, options)) {
        if (batch) {
          WriteBatch two = WriteBatch.create();
          two.put(new byte[] {1}, value).put(new byte[] {2}, value);
          db.write(two);
        } else {
          db.put(new byte[] {1}, value);
        }
        copyFiles(path, copy);
        return "written";
      }
    }

    private static String open(Path copy, Options options, int size, boolean batch) {
      try (DB db = DB.open(copy, options)) {
        byte[] value = new byte[size / (batch ? 2 : 1)];
        new Random(size).nextBytes(value);
        return Arrays.equals(db.get(new byte[] {1}), value) ? "opened" : "lost";
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
  @CsvSource({"32m, 0, false", "256m, 33554432, true"})
  void open_afterAWriteOfAnySize_needsNoMoreMemoryThanTheWrite(
      String direct, long limit, boolean batch) throws IOException, InterruptedException {
    List<String> arguments = List.of(Long.toString(limit), Boolean.toString(batch));
    Children.Ended written = run(direct, arguments, "write");
    assertThat(written.output()).contains(" written");
    Children.Ended opened = run(direct, arguments, "open");
    assertThat(opened.output().lines().filter(line -> line.matches("\\d+ .*")))
        .as(opened.output())
        .hasSize(LARGEST / STEP)
        .allMatch(line -> line.endsWith(" opened") || line.endsWith(" refused"));
  }

  private Children.Ended run(String direct, List<String> arguments, String what)
      throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(
            List.of(
                "-XX:MaxDirectMemorySize=" + direct,
                "-Xmx192m",
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"),
            Child.class,
            dir.toString(),
            arguments.get(0),
            Integer.toString(STEP),
            arguments.get(1),
            what);
    assertThat(child.exitCode()).as(child.output()).isZero();
    return child;
  }
}

package dev.kv.jmh.result;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ResultFileTest {
  private static final RunInfo RUN =
      new RunInfo("2026-01-01T00:00:00Z", "2 * cpu", "Linux", "17", "--num=5", "0.1");
  private static final Measurement PLAIN =
      new Measurement(
          "kv",
          "fillseq",
          0,
          1,
          false,
          new Measurement.Timing(2, 100, 1.25, 62.5),
          "(\"quoted\")",
          null,
          new Footprint(12.5, 1000, 2.5, -1, -1, 4096));
  private static final Measurement TIMED =
      new Measurement(
          "lmdb",
          "readseq",
          1,
          0,
          true,
          new Measurement.Timing(1, 7, 0.5, 0),
          "",
          new Latencies(1, 2, 3, 4, 5, 6, 7),
          new Footprint(0, 0, -1, 5, 6, -1));

  @TempDir Path directory;

  @Test
  void read_whatWasWritten_isEqual() throws IOException {
    try (ResultFile file = ResultFile.create(directory, RUN)) {
      file.add(PLAIN);
      file.add(TIMED);
    }
    try (Stream<Path> files = Files.list(directory)) {
      ResultFile.Contents contents = ResultFile.read(files.findFirst().orElseThrow());
      assertThat(contents.run()).isEqualTo(RUN);
      assertThat(contents.measurements()).isEqualTo(List.of(PLAIN, TIMED));
      assertThat(contents.cut()).isFalse();
    }
  }

  @Test
  void create_sameSecond_makesAnotherFile() throws IOException {
    ResultFile.create(directory, RUN).close();
    ResultFile.create(directory, RUN).close();
    try (Stream<Path> files = Files.list(directory)) {
      assertThat(files).hasSize(2);
    }
  }

  @Test
  void read_damagedLine_namesFileAndLine() throws IOException {
    for (String damaged : List.of("{\"type\":\"run\"\n", "\n", "{}\n", "\u00ff\n")) {
      Path file = file(damaged, MeasurementJson.write(RUN) + "\n");
      assertThatThrownBy(() -> ResultFile.read(file))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("run.jsonl, line 1: ");
    }
  }

  @Test
  void read_incompleteLastLine_leavesItOut() throws IOException {
    String run = MeasurementJson.write(RUN) + "\n";
    String plain = MeasurementJson.write(PLAIN) + "\n";
    String last = MeasurementJson.write(TIMED).toString();
    for (int length = 1; length < last.length(); length++) {
      assertThat(ResultFile.read(file(run, plain, last.substring(0, length))))
          .isEqualTo(new ResultFile.Contents(RUN, List.of(PLAIN), true));
    }
    assertThat(ResultFile.read(file(run, plain, last)))
        .isEqualTo(new ResultFile.Contents(RUN, List.of(PLAIN, TIMED), false));
    assertThat(ResultFile.read(file(run, plain, "\u00ff")).cut()).isTrue();
  }

  @Test
  void read_noCompleteLine_hasNothing() throws IOException {
    for (String text : List.of("", "{\"type\":\"run\"")) {
      ResultFile.Contents contents = ResultFile.read(file(text));
      assertThat(contents.run()).isNull();
      assertThat(contents.cut()).isTrue();
    }
  }

  /** Writes a file in ISO 8859-1, which is not UTF-8 if a text is not ASCII. */
  private Path file(String... texts) throws IOException {
    Path file = directory.resolve("run.jsonl");
    return Files.writeString(file, String.join("", texts), StandardCharsets.ISO_8859_1);
  }

  @Test
  void read_noRun_isRefused() throws IOException {
    Path file = file(MeasurementJson.write(PLAIN) + "\n");
    assertThatThrownBy(() -> ResultFile.read(file)).hasMessageContaining("does not describe a run");
  }
}

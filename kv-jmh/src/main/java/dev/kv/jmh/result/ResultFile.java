package dev.kv.jmh.result;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A file of JSON lines: first the run, then its measurements. Each line is flushed when it is
 * added, so an interrupted run keeps its measurements. Not thread-safe.
 */
public final class ResultFile implements AutoCloseable {
  /** The ending of the names of result files. */
  public static final String SUFFIX = ".jsonl";

  private final BufferedWriter out;

  private ResultFile(BufferedWriter out) {
    this.out = out;
  }

  /** Creates a file in {@code directory} that is named for the date of the run. */
  public static ResultFile create(Path directory, RunInfo run) throws IOException {
    Files.createDirectories(directory);
    String name = "run-" + run.date().replaceAll("[^0-9A-Za-z]+", "-");
    Path file = directory.resolve(name + SUFFIX);
    for (int i = 2; Files.exists(file); i++) {
      file = directory.resolve(name + "-" + i + SUFFIX);
    }
    ResultFile results = new ResultFile(Files.newBufferedWriter(file));
    results.line(MeasurementJson.write(run));
    return results;
  }

  /** Adds a measurement. */
  public void add(Measurement measurement) {
    try {
      line(MeasurementJson.write(measurement));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void line(JsonLine line) throws IOException {
    out.write(line.toString());
    out.newLine();
    out.flush();
  }

  @Override
  public void close() throws IOException {
    out.close();
  }

  /** The content of a result file. */
  public record Contents(RunInfo run, List<Measurement> measurements) {}

  /**
   * Reads a file.
   *
   * @throws IllegalArgumentException if a line is malformed; the message names it
   */
  public static Contents read(Path file) throws IOException {
    Optional<RunInfo> run = Optional.empty();
    List<Measurement> measurements = new ArrayList<>();
    int number = 0;
    for (String text : Files.readAllLines(file)) {
      number++;
      try {
        JsonLine line = JsonLine.parse(text);
        if (line.text(MeasurementJson.TYPE).equals(MeasurementJson.RUN)) {
          run = Optional.of(MeasurementJson.readRun(line));
        } else {
          measurements.add(MeasurementJson.readMeasurement(line));
        }
      } catch (IllegalArgumentException e) {
        throw new IllegalArgumentException(file + ", line " + number + ": " + e.getMessage(), e);
      }
    }
    return new Contents(
        run.orElseThrow(() -> new IllegalArgumentException(file + " does not describe a run")),
        measurements);
  }
}

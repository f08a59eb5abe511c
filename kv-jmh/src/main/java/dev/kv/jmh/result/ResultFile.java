package dev.kv.jmh.result;

import java.io.BufferedWriter;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

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

  /**
   * The content of a result file.
   *
   * @param run the run, or null if the file has no complete line
   * @param measurements its measurements
   * @param cut true if the last line is missing or incomplete, and left out
   */
  public record Contents(@Nullable RunInfo run, List<Measurement> measurements, boolean cut) {}

  /**
   * Reads a file. An interrupted run may leave an incomplete last line, which is left out.
   *
   * @throws IllegalArgumentException if another line is malformed; the message names it
   */
  public static Contents read(Path file) throws IOException {
    RunInfo run = null;
    List<Measurement> measurements = new ArrayList<>();
    boolean cut = false;
    byte[] content = Files.readAllBytes(file);
    int number = 0;
    for (int from = 0, to; from < content.length; from = to + 1) {
      to = endOfLine(content, from);
      number++;
      try {
        JsonLine line = JsonLine.parse(text(content, from, to));
        if (line.text(MeasurementJson.TYPE).equals(MeasurementJson.RUN)) {
          run = MeasurementJson.readRun(line);
        } else {
          measurements.add(MeasurementJson.readMeasurement(line));
        }
      } catch (IllegalArgumentException e) {
        cut = to == content.length;
        if (!cut) {
          throw new IllegalArgumentException(file + ", line " + number + ": " + e.getMessage(), e);
        }
      }
    }
    if (run == null && !measurements.isEmpty()) {
      throw new IllegalArgumentException(file + " does not describe a run");
    }
    return new Contents(run, measurements, cut || run == null);
  }

  /** Returns the offset of the next line feed, or the length if there is none. */
  private static int endOfLine(byte[] content, int from) {
    int at = from;
    while (at < content.length && content[at] != '\n') {
      at++;
    }
    return at;
  }

  private static String text(byte[] content, int from, int to) {
    try {
      return StandardCharsets.UTF_8
          .newDecoder()
          .decode(ByteBuffer.wrap(content, from, to - from))
          .toString();
    } catch (CharacterCodingException e) {
      throw new IllegalArgumentException("not UTF-8", e);
    }
  }
}

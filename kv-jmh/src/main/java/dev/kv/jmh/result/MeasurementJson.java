package dev.kv.jmh.result;

import org.jspecify.annotations.Nullable;

/** Runs and measurements as JSON. The field {@code type} distinguishes them. */
final class MeasurementJson {
  static final String TYPE = "type";
  static final String RUN = "run";
  static final String MEASUREMENT = "measurement";

  private MeasurementJson() {}

  static JsonLine write(RunInfo run) {
    return new JsonLine()
        .put(TYPE, RUN)
        .put("date", run.date())
        .put("machine", run.machine())
        .put("system", run.system())
        .put("java", run.java())
        .put("command", run.command())
        .put("version", run.version());
  }

  static RunInfo readRun(JsonLine line) {
    return new RunInfo(
        line.text("date"),
        line.text("machine"),
        line.text("system"),
        line.text("java"),
        line.text("command"),
        line.text("version"));
  }

  static JsonLine write(Measurement m) {
    JsonLine line =
        new JsonLine()
            .put(TYPE, MEASUREMENT)
            .put("store", m.store())
            .put("benchmark", m.benchmark())
            .put("position", m.position())
            .put("round", m.round())
            .put("cold", m.cold())
            .put("threads", m.timing().threads())
            .put("operations", m.timing().operations())
            .put("microsPerOp", m.timing().microsPerOp())
            .put("megabytesPerSecond", m.timing().megabytesPerSecond())
            .put("message", m.message())
            .put("allocatedPerOp", m.footprint().allocatedPerOp())
            .put("diskBytes", m.footprint().diskBytes())
            .put("writeAmplification", m.footprint().writeAmplification())
            .put("stallMicros", m.footprint().stallMicros())
            .put("slowMicros", m.footprint().slowMicros())
            .put("peakResidentBytes", m.footprint().peakResidentBytes());
    Latencies latencies = m.latencies();
    if (latencies != null) {
      line.put("p50", latencies.p50())
          .put("p95", latencies.p95())
          .put("p99", latencies.p99())
          .put("p999", latencies.p999())
          .put("p9999", latencies.p9999())
          .put("max", latencies.max())
          .put("mean", latencies.mean());
    }
    return line;
  }

  static Measurement readMeasurement(JsonLine line) {
    return new Measurement(
        line.text("store"),
        line.text("benchmark"),
        (int) line.whole("position"),
        (int) line.whole("round"),
        line.truth("cold"),
        new Measurement.Timing(
            (int) line.whole("threads"),
            line.whole("operations"),
            line.number("microsPerOp"),
            line.number("megabytesPerSecond")),
        line.text("message"),
        readLatencies(line),
        new Footprint(
            line.number("allocatedPerOp"),
            line.whole("diskBytes"),
            line.number("writeAmplification"),
            line.whole("stallMicros"),
            line.whole("slowMicros"),
            line.whole("peakResidentBytes")));
  }

  private static @Nullable Latencies readLatencies(JsonLine line) {
    if (!line.has("p50")) {
      return null;
    }
    return new Latencies(
        line.number("p50"),
        line.number("p95"),
        line.number("p99"),
        line.number("p999"),
        line.number("p9999"),
        line.number("max"),
        line.number("mean"));
  }
}

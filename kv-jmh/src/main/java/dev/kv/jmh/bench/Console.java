package dev.kv.jmh.bench;

import dev.kv.jmh.adapter.StoreKind;
import dev.kv.jmh.result.Footprint;
import dev.kv.jmh.result.Latencies;
import dev.kv.jmh.result.Measurement;
import dev.kv.jmh.result.RunInfo;
import dev.kv.jmh.workload.DecimalKey;
import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** Prints the results of a run in the format of db_bench, with indented lines for the rest. */
final class Console {
  private static final String RULE = "------------------------------------------------";

  private final PrintStream out;
  private final boolean details;

  /** Creates a console; with {@code details} it prints memory and disk use too. */
  Console(PrintStream out, boolean details) {
    this.out = out;
    this.details = details;
  }

  void header(RunInfo run, DbBenchFlags flags) {
    double valueBytes = flags.valueSize;
    double packed = valueBytes * flags.compressionRatio;
    int keyBytes = DecimalKey.DIGITS + flags.keyPrefix;
    print("kv:         version %s", run.version());
    print("Date:       %s", run.date());
    print("CPU:        %s", run.machine());
    print("System:     %s", run.system());
    print("Java:       %s", run.java());
    print("Keys:       %d bytes each", keyBytes);
    print(
        "Values:     %d bytes each (%d bytes after compression)",
        flags.valueSize, (int) (packed + 0.5));
    print("Entries:    %d", flags.num);
    print("RawSize:    %.1f MB (estimated)", mebibytes((keyBytes + valueBytes) * flags.num));
    print("FileSize:   %.1f MB (estimated)", mebibytes((keyBytes + packed) * flags.num));
  }

  /** Prints the head of a turn of a store. */
  void turn(StoreKind store, int round, boolean cold) {
    print("%s", RULE);
    print("%s, round %d%s", store.label(), round, cold ? " (cold: before the JVM is warm)" : "");
    print("%s", store.terms());
    print("%s", RULE);
  }

  void note(String text) {
    print("%s", text);
  }

  void skipped(String name, String reason) {
    print("%-12s : skipped (%s)", name, reason);
  }

  void failed(StoreKind store, Throwable cause) {
    print("%s failed and is excluded from the rest of the run:", store.label());
    cause.printStackTrace(out);
  }

  void line(Measurement m) {
    print("%s", format(m));
    if (details) {
      print("               %s", format(m.footprint(), m.timing().operations()));
    }
    Latencies latencies = m.latencies();
    if (latencies != null) {
      print("               %s", format(latencies));
    }
  }

  /** Returns the line that db_bench prints. */
  static String format(Measurement m) {
    List<String> extra = new ArrayList<>();
    double rate = m.timing().megabytesPerSecond();
    if (rate > 0) {
      extra.add(String.format(Locale.ROOT, "%6.1f MB/s", rate));
    }
    if (!m.message().isEmpty()) {
      extra.add(m.message());
    }
    return String.format(
        Locale.ROOT,
        "%-12s : %11.3f micros/op;%s%s",
        m.benchmark(),
        m.timing().microsPerOp(),
        extra.isEmpty() ? "" : " ",
        String.join(" ", extra));
  }

  static String format(Footprint f, long operations) {
    List<String> parts = new ArrayList<>();
    parts.add(
        String.format(
            Locale.ROOT, "%.0f B/op on the heap (%d ops)", f.allocatedPerOp(), operations));
    parts.add(String.format(Locale.ROOT, "%.1f MB on disk", mebibytes(f.diskBytes())));
    if (f.writeAmplification() >= 0) {
      parts.add(String.format(Locale.ROOT, "write amplification %.2f", f.writeAmplification()));
    }
    if (f.stallMicros() >= 0) {
      parts.add(String.format(Locale.ROOT, "stalled %.1f ms", f.stallMicros() / 1e3));
    }
    if (f.slowMicros() >= 0) {
      parts.add(String.format(Locale.ROOT, "%.1f ms in ops >= 1 ms", f.slowMicros() / 1e3));
    }
    if (f.peakResidentBytes() >= 0) {
      parts.add(
          String.format(
              Locale.ROOT, "peak %.0f MB resident in the JVM", mebibytes(f.peakResidentBytes())));
    }
    return String.join("; ", parts);
  }

  static String format(Latencies l) {
    return String.format(
        Locale.ROOT,
        "micros: p50 %.2f, p95 %.2f, p99 %.2f, p99.9 %.2f, p99.99 %.2f, max %.1f, mean %.3f",
        l.p50(),
        l.p95(),
        l.p99(),
        l.p999(),
        l.p9999(),
        l.max(),
        l.mean());
  }

  private static double mebibytes(double bytes) {
    return bytes / (1 << 20);
  }

  private void print(String format, Object... values) {
    out.println(String.format(Locale.ROOT, format, values));
  }
}

package dev.kv.jmh.meter;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The peak of the physical memory of this process, which Linux reports as VmHWM. */
public final class ResidentMemory {
  private static final Path STATUS = Path.of("/proc/self/status");
  private static final Path CLEAR = Path.of("/proc/self/clear_refs");

  private ResidentMemory() {}

  /** Returns the peak in bytes, or -1 if the system does not report it. */
  public static long peakBytes() {
    try {
      return Files.isReadable(STATUS) ? parse(Files.readAllLines(STATUS)) : -1;
    } catch (IOException e) {
      return -1;
    }
  }

  /** Returns the figure in the lines of the status file. */
  static long parse(List<String> lines) {
    for (String line : lines) {
      if (line.startsWith("VmHWM:")) {
        return Long.parseLong(line.replaceAll("[^0-9]", "")) * 1024;
      }
    }
    return -1;
  }

  /** Resets the peak to the present value; returns false if the system refuses. */
  public static boolean resetPeak() {
    try {
      Files.writeString(CLEAR, "5");
      return true;
    } catch (IOException e) {
      return false;
    }
  }
}

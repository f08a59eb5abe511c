package dev.kv.jmh.meter;

import com.sun.management.OperatingSystemMXBean;
import dev.kv.jmh.result.RunInfo;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.OffsetDateTime;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;

/** Describes the machine, the operating system and the JVM of this process. */
public final class Machine {
  private static final Path PROCESSORS = Path.of("/proc/cpuinfo");

  private Machine() {}

  /** Returns the description for a run that begins now with {@code arguments}. */
  public static RunInfo describe(List<String> arguments) {
    return new RunInfo(
        OffsetDateTime.now().truncatedTo(ChronoUnit.SECONDS).toString(),
        processors(),
        property("os.name") + " " + property("os.version") + " " + property("os.arch"),
        property("java.vm.name") + " " + property("java.vm.version"),
        String.join(" ", arguments),
        Optional.ofNullable(Machine.class.getPackage().getImplementationVersion())
            .orElse("under development"));
  }

  private static String processors() {
    OperatingSystemMXBean system =
        (OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
    long gibibytes = Math.round(system.getTotalMemorySize() / (double) (1 << 30));
    return Runtime.getRuntime().availableProcessors()
        + " * "
        + processorName()
        + ", "
        + gibibytes
        + " GB";
  }

  private static String processorName() {
    try {
      if (!Files.isReadable(PROCESSORS)) {
        return property("os.arch");
      }
      return Files.readAllLines(PROCESSORS).stream()
          .filter(line -> line.startsWith("model name"))
          .map(line -> line.substring(line.indexOf(':') + 1).trim())
          .findFirst()
          .orElse(property("os.arch"));
    } catch (IOException e) {
      return property("os.arch");
    }
  }

  private static String property(String name) {
    return System.getProperty(name, "?");
  }
}

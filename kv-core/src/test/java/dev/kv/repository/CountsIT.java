package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.jdi.Bootstrap;
import com.sun.jdi.StringReference;
import com.sun.jdi.VMDisconnectedException;
import com.sun.jdi.VirtualMachine;
import com.sun.jdi.connect.Connector;
import com.sun.jdi.connect.LaunchingConnector;
import com.sun.jdi.event.Event;
import com.sun.jdi.event.EventSet;
import com.sun.jdi.event.MethodEntryEvent;
import com.sun.jdi.request.EventRequest;
import com.sun.jdi.request.MethodEntryRequest;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts what the design wants small, and lists it in the file that {@code -Dkv.counts} names:
 * lines of code of each package, and the classes of each path through the engine. Of a path are the
 * top-level classes of {@code dev.kv.core} of which something is entered, as a debugger sees it: on
 * every thread, so that lists of flush, compaction and open may differ by what runs beside them.
 */
@EnabledIfSystemProperty(named = "kv.counts", matches = ".+")
class CountsIT {
  private static final Path SOURCES = Path.of("src", "main", "java");

  @TempDir Path temp;

  @Test
  void counts_ofTheCode_areWritten() throws Exception {
    Map<String, TreeSet<String>> paths = paths();
    assertThat(paths.keySet())
        .containsExactly("cached get", "compaction", "flush", "iterator step", "open", "put");
    Files.writeString(Path.of(System.getProperty("kv.counts")), lines() + text(paths));
  }

  /** Returns a line for each package: its classes, and its lines without comments. */
  private static String lines() throws IOException {
    Map<String, int[]> packages = new TreeMap<>();
    int total = 0;
    try (Stream<Path> files = Files.walk(SOURCES)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        int code =
            (int)
                Files.readAllLines(file).stream()
                    .filter(line -> !line.matches("\\s*|\\s*(//|/?\\*).*"))
                    .count();
        String name = SOURCES.relativize(file.resolveSibling("")).toString().replace('/', '.');
        int[] counts = packages.computeIfAbsent(name, each -> new int[2]);
        counts[0] += file.endsWith("package-info.java") ? 0 : 1;
        counts[1] += code;
        total += code;
      }
    }
    StringBuilder text = new StringBuilder("lines of code: " + total + "\n");
    packages.forEach(
        (name, counts) ->
            text.append("  ")
                .append(name.isEmpty() ? "module-info" : name)
                .append(": ")
                .append(counts[0])
                .append(" classes, ")
                .append(counts[1])
                .append(" lines\n"));
    return text.toString();
  }

  private static String text(Map<String, TreeSet<String>> paths) {
    StringBuilder text = new StringBuilder();
    paths.forEach(
        (path, classes) -> {
          text.append(path).append(": ").append(classes.size()).append(" classes\n");
          classes.forEach(each -> text.append("  ").append(each).append('\n'));
        });
    return text.toString();
  }

  private Map<String, TreeSet<String>> paths() throws Exception {
    LaunchingConnector connector = Bootstrap.virtualMachineManager().defaultConnector();
    Map<String, Connector.Argument> arguments = connector.defaultArguments();
    arguments.get("main").setValue(PathProgram.class.getName() + " " + temp.resolve("db"));
    arguments
        .get("options")
        .setValue("-Xmx512m -cp \"" + System.getProperty("java.class.path") + "\"");
    VirtualMachine vm = connector.launch(arguments);
    discard(vm.process().getInputStream());
    discard(vm.process().getErrorStream());
    MethodEntryRequest marks = vm.eventRequestManager().createMethodEntryRequest();
    marks.addClassFilter(PathProgram.Mark.class.getName());
    marks.setSuspendPolicy(EventRequest.SUSPEND_ALL);
    marks.enable();
    MethodEntryRequest calls = vm.eventRequestManager().createMethodEntryRequest();
    calls.addClassFilter("dev.kv.core.*");
    calls.setSuspendPolicy(EventRequest.SUSPEND_NONE);
    Map<String, TreeSet<String>> paths = new TreeMap<>();
    String path = "none";
    vm.resume();
    try {
      while (true) {
        EventSet events = vm.eventQueue().remove();
        for (Event event : events) {
          if (event instanceof MethodEntryEvent entry) {
            String type = entry.location().declaringType().name();
            if (type.equals(PathProgram.Mark.class.getName())) {
              if (entry.method().name().equals("enter")) {
                path =
                    ((StringReference) entry.thread().frame(0).getArgumentValues().get(0)).value();
                calls.setEnabled(!path.equals("none"));
              }
            } else if (!path.equals("none")) {
              int nested = type.indexOf('$');
              paths
                  .computeIfAbsent(path, p -> new TreeSet<>())
                  .add((nested < 0 ? type : type.substring(0, nested)).substring(12));
            }
          }
        }
        events.resume();
      }
    } catch (VMDisconnectedException ended) {
      return paths;
    }
  }

  private static void discard(InputStream output) {
    Thread reader =
        new Thread(
            () -> {
              try {
                System.err.print(new String(output.readAllBytes(), StandardCharsets.UTF_8));
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            });
    reader.setDaemon(true);
    reader.start();
  }
}

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
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Counts what the design wants small, and lists it in the file that {@code -Dkv.counts} names:
 * lines of code of each package, public methods of each type of the API, and the classes of each
 * path through the engine. Of a path are the top-level classes of {@code dev.kv.core} of which
 * something is entered, as a debugger sees it: on every thread, so that lists of flush, compaction
 * and open may differ by what runs beside them.
 */
@EnabledIfSystemProperty(named = "kv.counts", matches = ".+")
class CountsIT {
  @TempDir Path temp;

  @Test
  void counts_ofTheCode_areWritten() throws Exception {
    Map<String, TreeSet<String>> paths = paths();
    assertThat(paths.keySet()).isEqualTo(Counts.SECTIONS.keySet());
    Files.writeString(Path.of(System.getProperty("kv.counts")), Counts.text() + text(paths));
  }

  private static String text(Map<String, TreeSet<String>> paths) throws IOException {
    StringBuilder text = new StringBuilder();
    for (Map.Entry<String, TreeSet<String>> path : paths.entrySet()) {
      text.append(
          String.format(
              Locale.ROOT,
              "%s: %d classes, %d of them named\n",
              path.getKey(),
              path.getValue().size(),
              Counts.named(path.getKey(), path.getValue()).size()));
      path.getValue().forEach(each -> text.append("  ").append(each).append('\n'));
    }
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

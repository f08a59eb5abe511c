package dev.kv.core.logging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.Children;
import dev.kv.env.Env;
import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

class EngineLoggerTest {
  @TempDir Path temp;

  /** A program that stores something, and then logs if it is told to. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      Options options = Options.builder().createIfMissing(true).build();
      Env unused = Env.fileSystem();
      try (DB db = DB.open(Path.of(arguments[0]), options)) {
        db.put(new byte[] {1}, new byte[] {2});
        db.admin().flush();
        db.get(new byte[] {1});
      }
      if (arguments.length > 1) {
        LoggerFactory.getLogger("program").info("hello");
      }
    }
  }

  @Test
  void programWithoutProvider_thatDoesNotLog_isSilent() throws Exception {
    assertThat(run(false)).isEmpty();
  }

  @Test
  void programWithoutProvider_thatLogs_getsTheNoticeOfSlf4j() throws Exception {
    assertThat(run(false, "log")).contains("No SLF4J providers were found");
  }

  @Test
  void programWithoutSlf4j_runsInSilence() throws Exception {
    assertThat(runWithout("slf4j")).isEmpty();
  }

  @Test
  void programWithProvider_getsTheMessagesOfTheEngine() throws Exception {
    assertThat(run(true))
        .contains("dev.kv.core.event.Events", "opened")
        .doesNotContain("No SLF4J providers");
  }

  private String run(boolean provider, String... more) throws IOException, InterruptedException {
    return runWithout(provider ? "no jar" : "slf4j-simple", more);
  }

  /** Runs the program without the jars whose paths contain a text, and returns what it prints. */
  private String runWithout(String jars, String... more) throws IOException, InterruptedException {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains(jars))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> arguments = new ArrayList<>(List.of(temp.resolve("db").toString()));
    arguments.addAll(List.of(more));
    List<String> flags = List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
    ProcessBuilder builder =
        new ProcessBuilder(Children.command(flags, classPath, Program.class.getName(), arguments))
            .redirectErrorStream(true);
    builder.environment().remove("JAVA_TOOL_OPTIONS"); // the JVM prints that it uses them
    Process child = builder.start();
    String output = new String(child.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(child.waitFor()).as(output).isZero();
    return output;
  }
}

package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.BufferedOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Ctrl-C during a command in a child process. */
@Tag("slow")
@DisabledOnOs(OS.WINDOWS)
class InterruptTest {
  private static final int SIGINT = 2;
  private static final int SIGTERM = 15;
  private static final int MOST_ROUNDS = 20;

  @TempDir Path temp;

  /** One run of a command that is interrupted, with the checks of what it leaves. */
  private interface Round {
    /** Returns true if the interrupt ended the command, and not the command itself. */
    boolean run(int number) throws Exception;
  }

  /** Runs rounds until the interrupt came in time in one of them. */
  private static void repeat(Round round) throws Exception {
    boolean interrupted = false;
    for (int number = 0; !interrupted; number++) {
      assertThat(number).as("rounds that were not interrupted").isLessThan(MOST_ROUNDS);
      interrupted = round.run(number);
    }
  }

  private Process start(String... args) throws IOException {
    return start(Cli.inProcess(), args);
  }

  /** Starts a command whose temporary directory is that of the test. */
  private Process startInTemp(String... args) throws IOException {
    return start(Cli.inProcess("-Djava.io.tmpdir=" + temp), args);
  }

  private Process start(List<String> command, String... args) throws IOException {
    command.addAll(List.of(args));
    return Child.builder(command)
        .redirectOutput(temp.resolve("out").toFile())
        .redirectError(temp.resolve("err").toFile())
        .start();
  }

  private static void interrupt(Process process) throws Exception {
    assertThat(signal(process)).isZero();
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isNotZero();
  }

  /**
   * Interrupts a command that may end before the signal is there. Returns true if the signal ended
   * it.
   */
  private static boolean interruptIfAlive(Process process) throws Exception {
    signal(process);
    assertThat(process.waitFor(2, TimeUnit.MINUTES)).isTrue();
    assertThat(process.exitValue()).isIn(0, 128 + SIGINT, 128 + SIGTERM);
    return process.exitValue() != 0;
  }

  /**
   * Sends SIGINT. A JVM that was started with SIGINT ignored, as in the background of a script, has
   * children that ignore it too; they get SIGTERM, which ends a JVM in the same way.
   */
  private static int signal(Process process) throws Exception {
    Path status = Path.of("/proc/self/status");
    boolean ignored = false;
    if (Files.exists(status)) {
      for (String line : Files.readAllLines(status)) {
        if (line.startsWith("SigIgn:")) {
          ignored = (Long.parseUnsignedLong(line.substring(7).strip(), 16) & 1 << SIGINT - 1) != 0;
        }
      }
    }
    String name = ignored ? "-TERM" : "-INT";
    return new ProcessBuilder("kill", name, Long.toString(process.pid())).start().waitFor();
  }

  @ParameterizedTest
  @ValueSource(strings = {"import", "load"})
  void entriesFromInput_interrupted_leaveAPrefixWhoseLengthIsPrinted(String command)
      throws Exception {
    Path dir = temp.resolve("db");
    Process process = start(command, dir.toString(), "--create", "--format", "hex");
    int sent = 0;
    try (OutputStream out = new BufferedOutputStream(process.getOutputStream(), 1 << 16)) {
      for (; sent < 60_000; sent++) {
        out.write(line(sent));
      }
      out.flush();
      interrupt(process);
    } catch (IOException closed) {
      assertThat(process.isAlive()).isFalse(); // the pipe's reader is gone, and its end unwritten
    }
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
    List<String> found =
        Cli.run("export", dir.toString(), "--format", "hex").out().lines().toList();
    assertThat(found).isNotEmpty().hasSizeLessThanOrEqualTo(sent);
    assertThat(Files.readString(temp.resolve("err")))
        .contains("kv: interrupted; the first " + found.size() + " entries were put\n");
    for (int i = 0; i < found.size(); i++) {
      assertThat(found.get(i) + "\n").isEqualTo(new String(line(i), StandardCharsets.US_ASCII));
    }
    assertThat(Cli.run("put", dir.toString(), "after", "1").exitCode()).isZero();
  }

  @Test
  void sortedLoad_interrupted_putsNothingAndSaysSo() throws Exception {
    Path dir = temp.resolve("db");
    Process process = start("load", dir.toString(), "--create", "--sorted", "--format", "hex");
    try (OutputStream out = new BufferedOutputStream(process.getOutputStream(), 1 << 16)) {
      for (int i = 0; i < 60_000; i++) {
        out.write(line(i));
      }
      out.flush();
      interrupt(process);
    } catch (IOException closed) {
      assertThat(process.isAlive()).isFalse(); // the pipe's reader is gone, and its end unwritten
    }
    assertThat(Files.readString(temp.resolve("err")))
        .contains("kv: interrupted; nothing was put\n");
    Cli verify = Cli.run("verify", dir.toString());
    assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
    assertThat(Cli.run("count", dir.toString()).out()).isEqualTo("0\n");
  }

  @ParameterizedTest
  @ValueSource(strings = {"demo", "bench"})
  void temporaryDatabase_interrupted_isDeleted(String command) throws Exception {
    repeat(
        number -> {
          Process process = startInTemp(command);
          Child.await(
              process,
              () ->
                  scratch(command).stream()
                      .anyMatch(dir -> Child.count(temp.resolve(dir), ".ldb") > 0));
          boolean interrupted = interruptIfAlive(process);
          assertThat(scratch(command)).isEmpty();
          assertThat(Files.readString(temp.resolve("err"))).doesNotContain("WARN", "not deleted");
          return interrupted;
        });
  }

  @Test
  void dryRun_interrupted_deletesItsCopy() throws Exception {
    Path dir = temp.resolve("db");
    Random random = new Random(1);
    byte[] value = new byte[400];
    try (DB db = DB.open(dir, Options.builder().createIfMissing(true).build())) {
      for (int i = 0; i < 100_000; i++) {
        random.nextBytes(value);
        db.put(line(i), value);
      }
    }
    repeat(
        number -> {
          Process process = startInTemp("repair", dir.toString(), "--dry-run");
          Child.await(process, () -> !scratch("dry-run").isEmpty());
          boolean interrupted = interruptIfAlive(process);
          assertThat(scratch("dry-run")).isEmpty();
          assertThat(Files.readString(temp.resolve("err"))).doesNotContain("not deleted");
          return interrupted;
        });
  }

  private List<String> scratch(String command) {
    String[] names = temp.toFile().list((dir, name) -> name.startsWith("kv-" + command));
    return names == null ? List.of() : List.of(names);
  }

  private static byte[] line(int entry) {
    return String.format(Locale.ROOT, "%016x %064x%n", entry, entry)
        .getBytes(StandardCharsets.US_ASCII);
  }

  private Path database() {
    Path dir = temp.resolve("db");
    StringBuilder lines = new StringBuilder();
    for (int i = 0; i < 60_000; i++) {
      lines.append(new String(line(i), StandardCharsets.US_ASCII));
    }
    Cli filled =
        Cli.runWithInput(lines.toString(), "import", dir.toString(), "--create", "--format", "hex");
    assertThat(filled.exitCode()).as(filled.err()).isZero();
    return dir;
  }

  private static boolean isOpen(Path dir) {
    return Cli.run("levels", dir.toString()).err().contains("another process has");
  }

  /** Each round has a database to compact; the command may end before the signal is there. */
  @Test
  void compact_interrupted_leavesTheEntriesAsTheyWere() throws Exception {
    Path full = database();
    int interrupted = 0;
    for (int newTables = 0; newTables < 3 || interrupted == 0; newTables++) {
      assertThat(newTables).as("rounds that were not interrupted").isLessThan(MOST_ROUNDS);
      Path dir = temp.resolve("db" + newTables);
      assertThat(Cli.run("copy", full.toString(), dir.toString()).exitCode()).isZero();
      String before = Cli.run("export", dir.toString()).out();
      long tables = Child.count(dir, ".ldb") + newTables % 3;
      Process process = start("compact", dir.toString());
      Child.await(process, () -> isOpen(dir) && Child.count(dir, ".ldb") >= tables);
      interrupted += interruptIfAlive(process) ? 1 : 0;
      Cli verify = Cli.run("verify", dir.toString());
      assertThat(verify.exitCode()).as(verify.out() + verify.err()).isZero();
      assertThat(Cli.run("export", dir.toString()).out()).isEqualTo(before);
      assertThat(Cli.run("compact", dir.toString()).exitCode()).isZero();
      assertThat(Cli.run("export", dir.toString()).out()).isEqualTo(before);
    }
  }

  @Test
  void copy_interrupted_leavesNoHalfOfThatName() throws Exception {
    Path dir = database();
    String before = Fixtures.listing(dir);
    repeat(
        number -> {
          Path copy = temp.resolve("copy" + number);
          Process process = start("copy", dir.toString(), copy.toString());
          Path current = temp.resolve("copy" + number + ".partial/files/CURRENT");
          Child.await(process, () -> Files.exists(current));
          boolean interrupted = interruptIfAlive(process);
          assertThat(Fixtures.listing(dir)).isEqualTo(before);
          if (!Files.exists(copy)) { // unless it was quicker than the signal
            assertThat(interrupted).isTrue();
            assertThat(Cli.run("copy", dir.toString(), copy.toString()).exitCode()).isZero();
          }
          Cli diff = Cli.run("diff", dir.toString(), copy.toString());
          assertThat(diff.exitCode()).as(diff.err()).isZero();
          return interrupted;
        });
  }
}

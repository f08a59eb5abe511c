package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import java.io.IOException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Keys, values, comparators, directories and files that hold a terminal's control sequences: none
 * is printed as it is.
 */
class HostileNamesTest {
  private static final String HOSTILE = "h\u001b[31m\u0007\u001b]0;owned\u0007\u009b2J";
  private static final DBComparator HOSTILE_ORDER =
      DBComparator.ofArrays(HOSTILE, Arrays::compareUnsigned);

  @TempDir Path temp;

  @BeforeEach
  void requireNames() {
    Charset names = Charset.forName(System.getProperty("sun.jnu.encoding"));
    assumeThat(names.newEncoder().canEncode(HOSTILE)).as("%s can name the files", names).isTrue();
  }

  private Path database(DBComparator order) throws IOException {
    Path directory = temp.resolve("db" + HOSTILE);
    Options options = Options.builder().createIfMissing(true).comparator(order).build();
    try (DB db = DB.open(directory, options)) {
      db.put(bytes("1" + HOSTILE), bytes(HOSTILE));
      db.admin().flush();
      db.put(bytes("2" + HOSTILE), bytes(HOSTILE));
      db.delete(bytes("3" + HOSTILE));
    }
    for (String name : List.of(".ldb", "000099.ldb" + HOSTILE, ".log", "MANIFEST-")) {
      Files.writeString(directory.resolve(HOSTILE + name), HOSTILE);
    }
    return directory;
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  /** Runs a command and returns everything it printed. */
  private static String printed(String... command) {
    Cli run = Cli.run(command);
    String text = run.out() + run.err();
    assertThat(text.chars().filter(c -> c != '\n' && c != '\r' && c != '\t'))
        .as("%s printed %s", Arrays.toString(command), text)
        .allMatch(c -> c >= 0x20 && c < 0x7f || c > 0x9f);
    return text;
  }

  private static List<String> files(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return new ArrayList<>(files.map(Path::toString).toList());
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void anyCommand_hostileNames_printsNoControlCharacter(boolean hostileOrder) throws IOException {
    Path directory = database(hostileOrder ? HOSTILE_ORDER : DBComparator.bytewise());
    String db = directory.toString();
    StringBuilder all = new StringBuilder();
    for (String command :
        List.of("scan", "count", "approximate-size", "properties", "stats", "levels", "verify")) {
      all.append(printed(command, db));
    }
    all.append(printed("scan", db, "--format", "json"));
    all.append(printed("levels", db, "--json"));
    all.append(printed("get", db, HOSTILE));
    all.append(printed("put", db, HOSTILE, HOSTILE));
    all.append(printed("delete", db, HOSTILE));
    all.append(printed("compact", db));
    all.append(printed("diff", db, temp.resolve("other" + HOSTILE).toString()));
    all.append(printed("copy", db, temp.resolve("other" + HOSTILE).toString()));
    for (String file : files(directory)) {
      all.append(printed("dump", file));
    }
    all.append(printed("dump", db));
    all.append(printed(HOSTILE, db));
    all.append(printed("repair", db));
    all.append(printed("repair", db, "--yes"));
    all.append(printed("verify", db));
    all.append(printed("report", db, "-o", temp.resolve("report" + HOSTILE).toString()));
    all.append(printed("destroy", db, "--yes"));
    all.append(
        printed(
            "bench",
            temp.resolve("bench" + HOSTILE).toString(),
            "--num=9",
            "--benchmarks=fillseq"));
    all.append(printed("demo", temp.resolve("demo" + HOSTILE).toString(), "--entries=9"));
    assertThat(all).contains("\\x1b[31m\\x07");
  }

  @Test
  void verbose_hostileNames_logsNoControlCharacter() throws IOException {
    Path directory = database(DBComparator.bytewise());
    String db = directory.toString();
    for (String command : List.of("scan", "compact", "repair")) {
      String text = printed("--verbose", command, db);
      assertThat(text).containsPattern("(DEBUG|INFO) dev\\.kv\\.core\\..* - .*\\\\x1b\\[31m");
    }
    assertThat(printed("--verbose", "scan", db)).doesNotContain("io.netty");
    String locked;
    try (DB open = DB.open(directory, Options.DEFAULT)) {
      locked = printed("--verbose", "put", db, "key", HOSTILE);
    }
    assertThat(locked).contains("DBLockedException: ", "\n\tat dev.kv.", "\\x1b[31m");
    printed("--verbose", "destroy", db, "--yes");
  }

  @Test
  void anyFile_damaged_isReportedWithoutControlCharacters() throws IOException {
    Path directory = database(DBComparator.bytewise());
    for (String file : files(directory)) {
      byte[] content = Files.readAllBytes(Path.of(file));
      for (int i = 0; i < content.length; i += 7) {
        content[i] ^= 0x1b;
      }
      Files.write(Path.of(file), content);
      printed("dump", file);
    }
    for (String command : List.of("scan", "count", "levels", "stats", "verify", "repair", "scan")) {
      printed(command, directory.toString());
    }
  }
}

package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.backup.Backups;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import java.util.zip.CRC32C;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Input that is too large for the heap of the process fails in one line that names the limit. */
class MemoryLimitTest {
  /** A value of 40 MB, in a database, and a backup of that. */
  @TempDir static Path large;

  @TempDir Path temp;

  @BeforeAll
  static void createLarge() {
    try (DB created =
        DB.open(large.resolve("db"), Options.builder().createIfMissing(true).build())) {
      created.put(new byte[] {'k'}, new byte[40 << 20]);
      created.admin().flush();
      Backups.at(large.resolve("backups")).create(created.admin());
    }
  }

  private record Run(int exit, String err) {}

  private Run run(Path input, String... command) throws Exception {
    List<String> words = new ArrayList<>(Cli.inProcess("-Xmx64m"));
    words.addAll(List.of(command));
    Path err = temp.resolve("err");
    Process process =
        Child.builder(words)
            .redirectInput(input.toFile())
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .redirectError(err.toFile())
            .start();
    try {
      assertThat(process.waitFor(3, TimeUnit.MINUTES)).isTrue();
    } finally {
      process.destroyForcibly();
    }
    return new Run(process.exitValue(), Files.readString(err));
  }

  private void expectOneLine(Path input, String... command) throws Exception {
    Run run = run(input, command);
    assertThat(run.exit()).as(run.err()).isEqualTo(1);
    assertThat(run.err()).contains("kv: ", "MiB is too small", "-Xmx").hasLineCount(1);
  }

  @Test
  void line_of30Megabytes_namesTheLimit() throws Exception {
    Path input = temp.resolve("input");
    byte[] line = new byte[30 << 20];
    Arrays.fill(line, (byte) 'v');
    line[1] = '\t';
    Files.write(input, line);
    for (String command : List.of("load", "import")) {
      expectOneLine(input, command, temp.resolve("db").toString(), "--create");
      assertThat(temp.resolve("db")).doesNotExist();
    }
    line[0] = 'p';
    line[1] = 'u';
    line[2] = 't';
    line[3] = ' ';
    line[5] = ' ';
    Files.write(input, line);
    expectOneLine(input, "batch", temp.resolve("db").toString(), "--create");
    assertThat(temp.resolve("db")).doesNotExist();
  }

  @Test
  void value_of40Megabytes_namesTheLimit() throws Exception {
    Path dir = large.resolve("db");
    Path input = Files.createFile(temp.resolve("input"));
    for (String command : List.of("scan", "export")) {
      expectOneLine(input, command, dir.toString());
    }
    expectOneLine(input, "get", dir.toString(), "k");
  }

  /** Commands that need not hold the value in the heap may succeed. */
  @Tag("slow")
  @ParameterizedTest
  @ValueSource(
      strings = {
        "put OTHER k --file FILE --create",
        "diff DB COPY",
        "copy DB NEW",
        "verify DB",
        "dump TABLE",
        "report DB --output NEW",
        "compact COPY",
        "backup create DB NEW",
        "backup restore BACKUPS NEW",
        "repair COPY",
      })
  void command_onAValueOf40Megabytes_endsWithoutAStackTrace(String command) throws Exception {
    Path db = large.resolve("db");
    if (command.contains("COPY")) {
      try (DB open = DB.open(db, Options.DEFAULT)) {
        open.admin().checkpoint(temp.resolve("copy"));
      }
    }
    Path file = Files.write(temp.resolve("file"), new byte[40 << 20]);
    String table;
    try (Stream<Path> files = Files.list(db)) {
      table = files.filter(each -> each.toString().endsWith(".ldb")).findFirst().get().toString();
    }
    Map<String, String> paths =
        Map.of(
            "DB",
            db.toString(),
            "COPY",
            temp.resolve("copy").toString(),
            "BACKUPS",
            large.resolve("backups").toString(),
            "OTHER",
            temp.resolve("other").toString(),
            "NEW",
            temp.resolve("new").toString(),
            "FILE",
            file.toString(),
            "TABLE",
            table);
    Path input = Files.writeString(temp.resolve("input"), "a\tb\n");
    Run run = run(input, Cli.words(command, paths));
    assertThat(run.err()).as(command).doesNotContain("\tat ", "Exception");
    if (run.exit() != 0) {
      assertThat(run.exit()).isEqualTo(1);
      assertThat(run.err()).as(command).contains("kv: ", "give the JVM more", "JAVA_OPTS=-X");
      assertThat(run.err()).as(command).hasLineCount(1);
    }
  }

  @Test
  void catalog_of40Megabytes_namesTheLimit() throws Exception {
    Path backups = Files.createDirectory(temp.resolve("backups"));
    Path input = Files.createFile(temp.resolve("input"));
    CRC32C checksum = new CRC32C();
    try (OutputStream out = Files.newOutputStream(backups.resolve("backup-000001"))) {
      StringBuilder text = new StringBuilder("kv backup 2\nnumber 1\n");
      text.append("created 2026-01-01T00:00:00Z\nsequence 1\nadded 1\n");
      for (int i = 0; i < 1_200_000; i++) {
        text.append("file ").append(1_000_000 + i).append(".ldb 12345 0123abcd\n");
      }
      byte[] bytes = text.toString().getBytes(StandardCharsets.US_ASCII);
      checksum.update(bytes);
      out.write(bytes);
      String end = String.format(Locale.ROOT, "checksum %08x\n", checksum.getValue());
      out.write(end.getBytes(StandardCharsets.US_ASCII));
    }
    for (String command : List.of("list", "verify")) {
      expectOneLine(input, "backup", command, backups.toString());
    }
    expectOneLine(input, "backup", "prune", backups.toString(), "--keep", "1");
    String target = temp.resolve("restored").toString();
    expectOneLine(input, "backup", "restore", backups.toString(), target);
    assertThat(temp.resolve("restored")).doesNotExist();
  }
}

package dev.kv.jmh;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.bench.DbBenchCommand;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MainTest {
  @TempDir Path directory;

  @Test
  void arguments_beginningWithAnAt_areNotReadFromAFile() throws IOException {
    Path file = Files.writeString(directory.resolve("file"), "text-of-the-file");
    StringWriter errors = new StringWriter();
    int exit =
        Main.commandLine(new DbBenchCommand(System.out))
            .setErr(new PrintWriter(errors))
            .execute("--store", "@" + file);
    assertThat(exit).isEqualTo(2);
    assertThat(errors.toString()).contains("'@" + file + "'").doesNotContain("text-of-the-file");
  }
}

package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.jmh.adapter.StoreKind;
import java.io.IOError;
import java.io.IOException;
import java.io.OutputStream;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;

class TournamentTest {
  @Test
  void rounds_ofOne_countThoughItIsCold() {
    Tournament.Rounds rounds = new Tournament.Rounds(0, 1);
    assertThat(rounds.cold(0)).isTrue();
    assertThat(rounds.counts(0)).isTrue();
  }

  /** A full disk under the results is not blamed on the store. */
  @Test
  void run_resultsThatCannotBeWritten_endsIt(@TempDir Path scratch) {
    Console console = new Console(new PrintStream(OutputStream.nullOutputStream()), false);
    DbBenchCommand command = new DbBenchCommand(System.out);
    new CommandLine(command).parseArgs("--num=10");
    Tournament tournament =
        new Tournament(
            List.of(StoreKind.KV),
            List.of("open"),
            command.flags,
            new Tournament.Rounds(0, 1),
            console);
    IOException full = new IOException("full");
    assertThatThrownBy(
            () ->
                tournament.run(
                    scratch,
                    true,
                    measurement -> {
                      throw new UncheckedIOException(full);
                    }))
        .isInstanceOf(IOError.class)
        .hasCause(full);
    assertThat(tournament.failed()).isEmpty();
  }

  @Test
  void rounds_behindAWarmup_countFromItsEndOn() {
    Tournament.Rounds rounds = new Tournament.Rounds(1, 2);
    assertThat(rounds.cold(0)).isTrue();
    assertThat(rounds.counts(0)).isFalse();
    assertThat(rounds.cold(1)).isFalse();
    assertThat(rounds.counts(1)).isTrue();
    assertThat(rounds.counts(2)).isTrue();
  }
}

package dev.kv.tools.shell;

import dev.kv.tools.console.Failure;
import dev.kv.tools.console.StandardStreams;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Utf8Lines;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jline.reader.LineReader;
import org.jline.terminal.Terminal;
import org.jline.terminal.TerminalBuilder;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Reads commands on one database from a prompt. */
@Command(
    name = "shell",
    description =
        "Read commands on one database from a prompt, with history and completion of commands,"
            + " options and keys; or from standard input if that is not a terminal. Commands do not"
            + " name the directory: 'get KEY'. The database is open only while a command runs."
            + " Ctrl-C ends a command, not the shell.",
    mixinStandardHelpOptions = true)
public final class ShellCommand implements Callable<Integer> {
  private final Commands commands;

  @Mixin private DatabaseArguments database;

  @Option(
      names = "--history",
      paramLabel = "FILE",
      description = "The file of the history; default .kv_history in the home directory.")
  private @Nullable Path history;

  /** Creates the command; {@code commands} runs the lines. */
  public ShellCommand(Commands commands) {
    this.commands = commands;
  }

  @Override
  public Integer call() throws IOException {
    database.requireDatabase();
    Shell shell = new Shell(database, commands);
    boolean isTerminal =
        StandardStreams.isTerminal(StandardStreams.INPUT)
            && StandardStreams.isTerminal(StandardStreams.OUTPUT);
    return isTerminal ? readTerminal(shell) : readInput(shell);
  }

  /** Runs every line of standard input; returns the exit code of the last failure, or 0. */
  private static int readInput(Shell shell) throws IOException {
    Utf8Lines lines = new Utf8Lines(StandardStreams.input());
    int exitCode = 0;
    for (String line = next(lines); line != null && !shell.isLeft(); line = next(lines)) {
      int code = shell.run(line);
      exitCode = code == 0 ? exitCode : code;
    }
    return exitCode;
  }

  private static @Nullable String next(Utf8Lines lines) throws IOException {
    try {
      return lines.next();
    } catch (IllegalArgumentException malformed) {
      throw new Failure(lines.place() + malformed.getMessage());
    }
  }

  private int readTerminal(Shell shell) throws IOException {
    Path file = history == null ? Path.of(System.getProperty("user.home"), ".kv_history") : history;
    try (Terminal terminal = TerminalBuilder.builder().name("kv").build()) {
      LineReader reader =
          Shell.reader(terminal)
              .completer(new ShellCompleter(database, commands))
              .variable(LineReader.HISTORY_FILE, file)
              .build();
      shell.converse(reader);
    }
    return 0;
  }
}

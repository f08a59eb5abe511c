package dev.kv.tools.shell;

import dev.kv.tools.console.Cancellation;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Printable;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.LineReaderBuilder;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;
import org.jline.terminal.Terminal;

/** Runs lines as commands on one database. */
final class Shell {
  /**
   * The commands of the shell: those that have the directory as their first argument and read no
   * standard input.
   */
  static final List<String> COMMANDS =
      List.of(
          "get",
          "put",
          "delete",
          "scan",
          "count",
          "export",
          "import",
          "copy",
          "diff",
          "stats",
          "levels",
          "properties",
          "approximate-size",
          "compact",
          "verify",
          "repair");

  /** The commands of the shell itself. */
  static final List<String> OWN = List.of("help", "exit", "quit");

  private final DatabaseArguments database;
  private final Commands commands;
  private boolean left;

  Shell(DatabaseArguments database, Commands commands) {
    this.database = database;
    this.commands = commands;
  }

  /** Returns a builder of what reads lines on a terminal; {@link Words} splits what was read. */
  static LineReaderBuilder reader(Terminal terminal) {
    DefaultParser parser = new DefaultParser();
    parser.setEscapeChars(new char[0]);
    parser.setEofOnUnclosedQuote(true);
    return LineReaderBuilder.builder()
        .terminal(terminal)
        .appName("kv")
        .parser(parser)
        .option(LineReader.Option.DISABLE_EVENT_EXPANSION, true); // a key may have !! in it
  }

  /** Returns true if a line has asked to leave. */
  boolean isLeft() {
    return left;
  }

  /**
   * Reads lines until one asks to leave or they end. Ctrl-C drops the line that is typed, or ends
   * the command that runs; the shell goes on.
   */
  void converse(LineReader reader) {
    Thread runner = Thread.currentThread();
    Terminal terminal = reader.getTerminal();
    Terminal.SignalHandler before =
        terminal.handle(Terminal.Signal.INT, signal -> Cancellation.cancel(runner));
    try {
      while (!left) {
        runLine(reader);
      }
    } finally {
      terminal.handle(Terminal.Signal.INT, before);
    }
  }

  private void runLine(LineReader reader) {
    try {
      run(reader.readLine("kv> "));
    } catch (UserInterruptException dropped) {
      return;
    } catch (EndOfFileException end) {
      left = true;
    } finally {
      Cancellation.clear();
    }
  }

  /** Runs one line and returns its exit code. */
  int run(String line) {
    List<String> words;
    try {
      words = Words.of(line);
    } catch (IllegalArgumentException unclosed) {
      return refuse(String.valueOf(unclosed.getMessage()));
    }
    if (words.isEmpty()) {
      return 0;
    }
    String name = words.get(0);
    switch (name) {
      case "exit", "quit":
        left = true;
        return 0;
      case "help":
        return help(words);
      default:
        break;
    }
    if (!COMMANDS.contains(name)) {
      return refuseUnknown(name);
    }
    List<String> arguments = new ArrayList<>();
    arguments.add(database.directory().toString());
    String order = database.orderName();
    if (order != null && words.stream().noneMatch(word -> word.startsWith("--comparator"))) {
      arguments.add("--comparator=" + order); // an option after -- would be a key
    }
    arguments.addAll(words.subList(1, words.size()));
    return commands.run(name, arguments.toArray(new String[0]));
  }

  private int help(List<String> words) {
    if (words.size() > 1) {
      String name = words.get(1);
      return COMMANDS.contains(name) ? commands.run(name, "--help") : refuseUnknown(name);
    }
    System.out.println("Commands: " + String.join(", ", COMMANDS) + ", " + String.join(", ", OWN));
    System.out.println("'help COMMAND' describes a command. Ctrl-C ends a command that runs.");
    return 0;
  }

  private int refuseUnknown(String name) {
    List<String> near = commands.near(name).stream().filter(COMMANDS::contains).toList();
    return refuse(
        "no such command in the shell: "
            + name
            + (near.isEmpty()
                ? "; 'help' lists them"
                : "; did you mean " + String.join(" or ", near) + "?"));
  }

  private static int refuse(String message) {
    System.err.println("kv: " + Printable.of(message));
    return 2;
  }
}

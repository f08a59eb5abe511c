package dev.kv.tools.shell;

import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Printable;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.EndOfFileException;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import org.jline.reader.Parser;
import org.jline.reader.SyntaxError;
import org.jline.reader.UserInterruptException;
import org.jline.reader.impl.DefaultParser;

/** Runs lines as commands on one database. */
final class Shell {
  /**
   * The commands of the shell: those whose first argument is the directory, and that read no input.
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

  /** The commands that are the shell's own. */
  static final List<String> OWN = List.of("help", "exit", "quit");

  private final DatabaseArguments database;
  private final Commands commands;
  private boolean left;

  Shell(DatabaseArguments database, Commands commands) {
    this.database = database;
    this.commands = commands;
  }

  /** Returns how lines are split: by blanks outside of quotes; a backslash is a backslash. */
  static Parser parser() {
    DefaultParser parser = new DefaultParser();
    parser.setEscapeChars(new char[0]);
    parser.setEofOnUnclosedQuote(true);
    return parser;
  }

  /** Returns whether a line has asked to leave. */
  boolean isLeft() {
    return left;
  }

  /** Reads lines until one asks to leave or they end. */
  void converse(LineReader reader) {
    while (!left) {
      try {
        run(reader.readLine("kv> "));
      } catch (UserInterruptException interrupted) {
        continue;
      } catch (EndOfFileException end) {
        return;
      }
    }
  }

  /** Runs one line and returns its exit code. */
  int run(String line) {
    List<String> words;
    try {
      ParsedLine parsed = parser().parse(line, line.length(), Parser.ParseContext.ACCEPT_LINE);
      words = parsed.words();
    } catch (SyntaxError unclosed) {
      return refuse("a quote is not closed");
    }
    if (words.isEmpty() || words.get(0).isEmpty()) {
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
      return refuse("no such command here: " + name + "; 'help' lists them");
    }
    List<String> arguments = new ArrayList<>();
    arguments.add(name);
    arguments.add(database.directory().toString());
    arguments.addAll(words.subList(1, words.size()));
    String order = database.orderName();
    if (order != null && words.stream().noneMatch(word -> word.startsWith("--comparator"))) {
      arguments.add("--comparator=" + order);
    }
    return commands.run(arguments.toArray(new String[0]));
  }

  private int help(List<String> words) {
    if (words.size() > 1) {
      return commands.run("help", words.get(1));
    }
    System.out.println("Commands: " + String.join(", ", COMMANDS) + ", " + String.join(", ", OWN));
    System.out.println("They are as outside the shell, without DIR; 'help COMMAND' tells more.");
    return 0;
  }

  private static int refuse(String message) {
    System.err.println("kv: " + Printable.of(message));
    return 2;
  }
}

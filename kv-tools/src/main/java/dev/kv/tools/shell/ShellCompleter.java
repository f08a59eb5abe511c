package dev.kv.tools.shell;

import dev.kv.DBIterator;
import dev.kv.ReadOnlyDB;
import dev.kv.bytes.Escape;
import dev.kv.errors.DBException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.ByteText;
import dev.kv.tools.text.Utf8Text;
import java.util.ArrayList;
import java.util.List;
import org.jline.reader.Candidate;
import org.jline.reader.Completer;
import org.jline.reader.LineReader;
import org.jline.reader.ParsedLine;
import picocli.CommandLine;

/** Completes commands, their options, and keys of the database. */
final class ShellCompleter implements Completer {
  private static final int MAX_KEYS = 50;

  private final DatabaseArguments database;
  private final Commands commands;

  ShellCompleter(DatabaseArguments database, Commands commands) {
    this.database = database;
    this.commands = commands;
  }

  @Override
  public void complete(LineReader reader, ParsedLine line, List<Candidate> candidates) {
    String word = line.word().substring(0, line.wordCursor());
    List<String> found;
    if (line.wordIndex() == 0) {
      found = new ArrayList<>(Shell.COMMANDS);
      found.addAll(Shell.OWN);
    } else if (word.startsWith("-")) {
      found = options(line.words().get(0));
    } else if (takesKey(line.words().get(0), line.wordIndex())) {
      found = keys(word);
    } else {
      found = List.of();
    }
    found.stream()
        .filter(each -> each.startsWith(word))
        .map(Candidate::new)
        .forEach(candidates::add);
  }

  private List<String> options(String command) {
    Object declared = Shell.COMMANDS.contains(command) ? commands.create(command) : null;
    List<String> names = new ArrayList<>();
    if (declared != null) {
      new CommandLine(declared)
          .getCommandSpec()
          .options()
          .forEach(option -> names.add(option.longestName()));
    }
    return names;
  }

  private static boolean takesKey(String command, int index) {
    return index == 1
        && (command.equals("get") || command.equals("put") || command.equals("delete"));
  }

  /** Returns keys that begin with the text and follow one another in the order of the keys. */
  private List<String> keys(String beginning) {
    List<String> keys = new ArrayList<>();
    boolean isAscii = beginning.chars().allMatch(c -> c < 0x80);
    byte[] prefix;
    try {
      prefix = ByteText.parse(beginning).bytes();
    } catch (IllegalArgumentException unfinished) {
      return keys;
    }
    try (ReadOnlyDB db = database.openForLookups();
        DBIterator entries = db.iterator()) {
      for (entries.seek(prefix);
          entries.isValid()
              && keys.size() < MAX_KEYS
              && Escape.bytes(entries.key()).startsWith(Escape.bytes(prefix));
          entries.next()) {
        byte[] key = entries.key();
        keys.add(isAscii ? Escape.bytes(key) : Utf8Text.of(key));
      }
    } catch (Failure | DBException unreadable) {
      keys.clear(); // the command itself will report it
    }
    return keys;
  }
}

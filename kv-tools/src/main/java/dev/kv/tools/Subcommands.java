package dev.kv.tools;

import dev.kv.tools.backup.BackupCommand;
import dev.kv.tools.bench.BenchCommand;
import dev.kv.tools.bench.DemoCommand;
import dev.kv.tools.dump.DumpCommand;
import dev.kv.tools.entries.BatchCommand;
import dev.kv.tools.entries.CountCommand;
import dev.kv.tools.entries.DeleteCommand;
import dev.kv.tools.entries.DiffCommand;
import dev.kv.tools.entries.GetCommand;
import dev.kv.tools.entries.PutCommand;
import dev.kv.tools.entries.ScanCommand;
import dev.kv.tools.maintenance.CompactCommand;
import dev.kv.tools.maintenance.CopyCommand;
import dev.kv.tools.maintenance.DestroyCommand;
import dev.kv.tools.maintenance.RepairCommand;
import dev.kv.tools.report.ReportCommand;
import dev.kv.tools.shell.ShellCommand;
import dev.kv.tools.stats.ApproximateSizeCommand;
import dev.kv.tools.stats.LevelsCommand;
import dev.kv.tools.stats.PropertiesCommand;
import dev.kv.tools.stats.StatsCommand;
import dev.kv.tools.transfer.ExportCommand;
import dev.kv.tools.transfer.ImportCommand;
import dev.kv.tools.transfer.IngestCommand;
import dev.kv.tools.transfer.LoadCommand;
import dev.kv.tools.verify.VerifyCommand;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.AutoComplete.GenerateCompletion;
import picocli.CommandLine;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.CommandSpec;

/**
 * The commands by name. To read the declaration of a command by reflection takes about ten
 * milliseconds, so only the command that runs is read; the others are known by name and summary.
 */
final class Subcommands {
  /** The names with their summaries, in the order in which the help lists them. */
  private static final List<Map.Entry<String, String>> SUMMARIES =
      List.of(
          Map.entry("demo", "Write, change, read and check a million entries."),
          Map.entry("get", "Print the value of a key."),
          Map.entry("put", "Set the value of a key."),
          Map.entry("delete", "Delete a key, or all keys of a range."),
          Map.entry("scan", "Print entries in the order of their keys."),
          Map.entry("count", "Print the number of keys."),
          Map.entry("batch", "Apply operations from standard input as one write."),
          Map.entry("load", "Put the entries that scan printed."),
          Map.entry("ingest", "Add the entries of tables written elsewhere."),
          Map.entry("import", "Put the entries that export wrote."),
          Map.entry("export", "Write entries as text, hex, JSON or binary."),
          Map.entry("copy", "Write a compact copy of a database."),
          Map.entry("diff", "Compare two databases."),
          Map.entry("backup", "Make backups of a database, and restore them."),
          Map.entry("stats", "Print statistics of levels and entries."),
          Map.entry("levels", "Draw the tree of tables."),
          Map.entry("properties", "Print LevelDB's properties."),
          Map.entry("approximate-size", "Print how many bytes a range takes in tables."),
          Map.entry("compact", "Compact a database or a range of it."),
          Map.entry("report", "Write a page of HTML that shows a database."),
          Map.entry("verify", "Check every checksum and every invariant."),
          Map.entry("repair", "Make a damaged database open again."),
          Map.entry("dump", "Print the content of a log, MANIFEST or table."),
          Map.entry("shell", "Read commands from a prompt."),
          Map.entry("bench", "Measure this machine, as db_bench does."),
          Map.entry("destroy", "Delete a database."),
          Map.entry("generate-completion", "Print a completion script for bash and zsh."),
          Map.entry("generate-man", "Print a manual page of all commands."),
          Map.entry("help", "Print the help of a command."));

  private Subcommands() {}

  /** Returns the names. */
  static List<String> names() {
    return SUMMARIES.stream().map(Map.Entry::getKey).toList();
  }

  /**
   * Adds the commands that the arguments need: the one that they begin with, else all. Those that
   * only a list of names needs are added by name and summary.
   */
  static void addTo(CommandLine root, String... args) {
    String first =
        Stream.of(args).dropWhile(argument -> argument.equals("--verbose")).findFirst().orElse("");
    Object asked = create(first);
    boolean all = first.equals("help") || first.startsWith("generate-");
    for (Map.Entry<String, String> command : SUMMARIES) {
      String name = command.getKey();
      if (all || asked == null || name.equals(first)) {
        root.addSubcommand(
            name, all || name.equals(first) ? declared(name) : named(name, command.getValue()));
      }
    }
  }

  private static CommandLine declared(String name) {
    CommandLine command = new CommandLine(create(name));
    // picocli declares generate-completion as one, and help commands ignore other arguments
    command.getCommandSpec().helpCommand(name.equals("help"));
    return command;
  }

  private static CommandLine named(String name, String summary) {
    CommandSpec spec = CommandSpec.create().name(name);
    spec.usageMessage().description(summary);
    return new CommandLine(spec);
  }

  /**
   * Returns the command that the arguments name and that does not exist, or null. A command of
   * commands is named with its first word.
   */
  static @Nullable String unknown(String... args) {
    List<String> words = Stream.of(args).filter(word -> !word.equals("--verbose")).toList();
    int at = !words.isEmpty() && words.get(0).equals("help") ? 1 : 0;
    String name = at < words.size() ? words.get(at) : "";
    if (name.isEmpty() || name.startsWith("-")) {
      return null;
    }
    if (!names().contains(name)) {
      return name;
    }
    String nested = at + 1 < words.size() ? words.get(at + 1) : "-";
    if (nested.startsWith("-") || at == 0 && !name.equals("backup")) {
      return null;
    }
    return nestedNames(name).contains(nested) ? null : name + " " + nested;
  }

  /** Returns {@code A B --help} for {@code help A B}, and other words as they are. */
  static String[] helpOfNested(String... words) {
    if (words.length < 3 || !words[0].equals("help") || words[1].startsWith("-")) {
      return words;
    }
    String[] asked = Arrays.copyOfRange(words, 1, words.length + 1);
    asked[words.length - 1] = "--help";
    return asked;
  }

  /** Returns the names that are likely meant by the name of an unknown command. */
  static List<String> near(String unknown) {
    int end = unknown.indexOf(' ');
    String parent = end < 0 ? "" : unknown.substring(0, end);
    return Stream.concat(
            names().stream(), nestedNames(parent).stream().map(name -> parent + " " + name))
        .filter(name -> distance(name, unknown) <= (name.length() > 4 ? 2 : 1))
        .toList();
  }

  private static Set<String> nestedNames(String name) {
    Object command = create(name);
    return command == null ? Set.of() : new CommandLine(command).getSubcommands().keySet();
  }

  /** Returns how many characters must be inserted, deleted, changed or exchanged with the next. */
  private static int distance(String a, String b) {
    int[][] costs = new int[a.length() + 1][b.length() + 1];
    for (int i = 0; i <= a.length(); i++) {
      for (int j = 0; j <= b.length(); j++) {
        if (i == 0 || j == 0) {
          costs[i][j] = i + j;
          continue;
        }
        int change = a.charAt(i - 1) == b.charAt(j - 1) ? 0 : 1;
        int least = Math.min(costs[i - 1][j], costs[i][j - 1]) + 1;
        least = Math.min(least, costs[i - 1][j - 1] + change);
        if (i > 1
            && j > 1
            && a.charAt(i - 1) == b.charAt(j - 2)
            && a.charAt(i - 2) == b.charAt(j - 1)) {
          least = Math.min(least, costs[i - 2][j - 2] + 1);
        }
        costs[i][j] = least;
      }
    }
    return costs[a.length()][b.length()];
  }

  /** Returns a new command of that name, or null if there is none. */
  static @Nullable Object create(String name) {
    return switch (name) {
      case "demo" -> new DemoCommand();
      case "get" -> new GetCommand();
      case "put" -> new PutCommand();
      case "delete" -> new DeleteCommand();
      case "scan" -> new ScanCommand();
      case "count" -> new CountCommand();
      case "batch" -> new BatchCommand();
      case "load" -> new LoadCommand();
      case "ingest" -> new IngestCommand();
      case "import" -> new ImportCommand();
      case "export" -> new ExportCommand();
      case "copy" -> new CopyCommand();
      case "diff" -> new DiffCommand();
      case "backup" -> new BackupCommand();
      case "stats" -> new StatsCommand();
      case "levels" -> new LevelsCommand();
      case "properties" -> new PropertiesCommand();
      case "approximate-size" -> new ApproximateSizeCommand();
      case "compact" -> new CompactCommand();
      case "report" -> new ReportCommand();
      case "verify" -> new VerifyCommand();
      case "repair" -> new RepairCommand();
      case "dump" -> new DumpCommand();
      case "shell" -> new ShellCommand(new CommandTree());
      case "bench" -> new BenchCommand();
      case "destroy" -> new DestroyCommand();
      case "generate-completion" -> new GenerateCompletion();
      case "generate-man" -> new GenerateManCommand();
      case "help" -> new HelpCommand();
      default -> null;
    };
  }
}

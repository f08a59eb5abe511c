package dev.kv.tools;

import static java.util.Objects.requireNonNull;

import dev.kv.tools.console.Colours;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import dev.kv.tools.console.MessageLogging;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Printable;
import java.io.PrintWriter;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ParseResult;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The kv command line: the options before the command, and how failures are reported. */
@Command(
    name = "kv",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Reads, writes and inspects LevelDB databases.",
    footer = {
      "",
      "Exit codes: 0 done, 1 failed, 2 wrong usage. Data goes to standard output, messages and "
          + "progress to standard error. A KEY or VALUE is text; \\xNN in it stands for one byte, "
          + "\\\\ for a backslash. 'kv help COMMAND' describes a command."
    })
final class Main implements Runnable {
  private static final String VERBOSE = "--verbose";

  /** The options that name a format, of which a command takes one. */
  private static final Set<String> FORMATS =
      Set.of("--format", "--hex", "--json", "--raw", "--utf8");

  @Spec private CommandSpec spec;

  @SuppressWarnings("UnusedVariable") // read before the arguments are parsed
  @Option(
      names = VERBOSE,
      scope = ScopeType.INHERIT,
      description = "Log what the engine does, and print the stack trace of a failure.")
  private boolean verbose;

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    System.exit(runDecoded(args));
  }

  private static int runDecoded(String... args) {
    String[] decoded;
    try {
      decoded = ProcessArguments.decode(args);
    } catch (Failure undecodable) {
      System.err.println("kv: " + undecodable.getMessage());
      return CommandLine.ExitCode.USAGE;
    }
    return run(decoded);
  }

  /** Runs one command and returns its exit code. */
  static int run(String... words) {
    String[] args = Subcommands.helpOfNested(words);
    boolean verbose = prepare(args);
    String unknown = Subcommands.unknown(words);
    if (unknown != null) {
      System.err.println(
          Colours.wrong("kv: no such command: " + Printable.of(unknown))
              + didYouMean(Subcommands.near(unknown)));
      int nested = unknown.lastIndexOf(' ');
      System.err.println(
          nested < 0
              ? "'kv help' lists the commands"
              : "'kv help " + unknown.substring(0, nested) + "' describes it");
      return CommandLine.ExitCode.USAGE;
    }
    CommandLine commandLine = new CommandLine(new Main());
    Subcommands.addTo(commandLine, args);
    return execute(commandLine, "'kv help ", verbose, args);
  }

  /**
   * Runs one command as a line of the shell, whose usage does not name the directory.
   *
   * @param name the name of a command that has a directory as its first argument
   */
  static int runInShell(String name, String... args) {
    boolean verbose = prepare(args);
    CommandLine commandLine = new CommandLine(requireNonNull(Subcommands.create(name)));
    CommandSpec spec = commandLine.getCommandSpec();
    PositionalParamSpec directory = spec.positionalParameters().get(0);
    spec.remove(directory);
    spec.addPositional(PositionalParamSpec.builder(directory).hidden(true).build());
    List<String> words = new ArrayList<>(List.of(args));
    words.subList(0, options(args)).removeIf(VERBOSE::equals);
    return execute(commandLine, "'help ", verbose, words.toArray(new String[0]));
  }

  /** Returns the number of words before the {@code --} that ends the options. */
  private static int options(String... args) {
    int end = List.of(args).indexOf("--");
    return end < 0 ? args.length : end;
  }

  /** Sets what holds for the whole process, and returns true if --verbose is among the options. */
  private static boolean prepare(String... args) {
    // Netty's events for Java Flight Recorder are not needed here, and take long to load.
    System.setProperty("io.netty.jfr.enabled", "false");
    boolean verbose = List.of(args).subList(0, options(args)).contains(VERBOSE);
    MessageLogging.setVerbose(verbose);
    return verbose;
  }

  private static int execute(
      CommandLine commandLine, String helpCommand, boolean verbose, String... args) {
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    commandLine.setExpandAtFiles(false); // a key or value may begin with @
    ArgumentTypes.register(commandLine);
    setVersion(commandLine);
    commandLine.setExecutionExceptionHandler(
        (failure, failed, parsed) -> report(failure, failed, verbose));
    commandLine.setExecutionStrategy(
        parsed -> {
          requireOneFormat(parsed);
          return new CommandLine.RunLast().execute(parsed);
        });
    commandLine.setParameterExceptionHandler(
        (wrong, arguments) -> reportUsage(wrong, commandLine, helpCommand));
    int exitCode;
    try {
      exitCode = commandLine.execute(args);
    } catch (OutOfMemoryError tooSmall) {
      return report(tooSmall, commandLine, verbose);
    }
    return exitCode == 0 && System.out.checkError()
        ? report(Output.failure(), commandLine, false)
        : exitCode;
  }

  /** Makes --version of a command and of its commands print the version of kv. */
  private static void setVersion(CommandLine command) {
    command.getCommandSpec().versionProvider(new Version());
    command.getSubcommands().values().forEach(Main::setVersion);
  }

  /** Refuses options that contradict each other because each names a format. */
  private static void requireOneFormat(ParseResult parsed) {
    ParseResult command = parsed;
    while (command.hasSubcommand()) {
      command = command.subcommand();
    }
    Set<String> given = new LinkedHashSet<>();
    for (OptionSpec option : command.matchedOptions()) {
      if (FORMATS.contains(option.longestName())) {
        given.add(option.longestName());
      }
    }
    if (given.size() > 1) {
      throw new ParameterException(
          command.commandSpec().commandLine(), "give one of " + String.join(" and ", given));
    }
  }

  private static String didYouMean(List<String> near) {
    return near.isEmpty() ? "" : "; did you mean " + String.join(" or ", near) + "?";
  }

  /** Reports wrong usage in a few lines; the message may quote untrusted text. */
  private static int reportUsage(ParameterException wrong, CommandLine root, String helpCommand) {
    CommandLine asked = wrong.getCommandLine();
    PrintWriter err = asked.getErr();
    if (wrong instanceof UnmatchedArgumentException unmatched && unmatched.isUnknownOption()) {
      String option = unmatched.getUnmatched().get(0);
      err.println(
          Colours.wrong("kv: no such option: " + Printable.of(option))
              + didYouMean(unmatched.getSuggestions()));
    } else {
      err.println(
          Colours.wrong("kv: " + Printable.of(inPlainWords(String.valueOf(wrong.getMessage())))));
    }
    if (asked == root && asked.getCommand() instanceof Main) {
      asked.usage(err);
    } else {
      Help help = asked.getHelp();
      err.print(help.synopsisHeading() + help.synopsis(help.synopsisHeadingLength()));
      String name = asked.getCommandName();
      for (CommandLine parent = asked.getParent();
          parent != null && parent != root;
          parent = parent.getParent()) {
        name = parent.getCommandName() + " " + name;
      }
      err.println(helpCommand + name + "' describes the command");
    }
    return asked.getCommandSpec().exitCodeOnInvalidInput();
  }

  /** Returns a parser's message with the argument's name first. */
  private static String inPlainWords(String message) {
    return message
        .replaceFirst("^Invalid value for option '(--[a-z-]+)'( \\([^)]*\\))?: ", "$1: ")
        .replaceFirst(
            "^Invalid value for positional parameter at index \\S+ \\((\\w+)\\): ", "$1: ");
  }

  private static int report(Throwable failure, CommandLine failed, boolean verbose) {
    String message = FailureText.describe(failure);
    if (!message.isEmpty()) {
      failed.getErr().println(Colours.wrong("kv: " + message));
    }
    if (verbose) {
      failed.getErr().println(FailureText.trace(failure));
    }
    return failed.getCommandSpec().exitCodeOnExecutionException();
  }

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command");
  }
}

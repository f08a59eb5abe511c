package dev.kv.tools;

import dev.kv.tools.console.Failure;
import dev.kv.tools.console.FailureText;
import dev.kv.tools.console.MessageLogging;
import dev.kv.tools.console.Output;
import dev.kv.tools.text.Printable;
import java.io.PrintWriter;
import java.util.List;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.ScopeType;
import picocli.CommandLine.Spec;
import picocli.CommandLine.UnmatchedArgumentException;

/** The kv command line: what stands before the subcommand, and how a failure is told. */
@Command(
    name = "kv",
    mixinStandardHelpOptions = true,
    versionProvider = Version.class,
    description = "Reads, writes and inspects LevelDB databases.",
    footer = {
      "",
      "Exit codes: 0 done, 1 failed, 2 wrong usage. Data goes to standard output, messages and "
          + "progress to standard error. A KEY or VALUE is text; \\xNN in it stands for one byte. "
          + "'kv help COMMAND' tells more of a command."
    })
final class Main implements Runnable {
  @Spec private CommandSpec spec;

  @Option(
      names = "--verbose",
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
  static int run(String... args) {
    // Not needed here, and loading it takes longer than a short command does.
    System.setProperty("io.netty.jfr.enabled", "false");
    MessageLogging.setVerbose(List.of(args).contains("--verbose"));
    Main main = new Main();
    CommandLine commandLine = new CommandLine(main);
    Subcommands.addTo(commandLine, args);
    commandLine.setCaseInsensitiveEnumValuesAllowed(true);
    ArgumentTypes.register(commandLine);
    commandLine.setExecutionExceptionHandler(
        (failure, failed, parsed) -> report(failure, failed, main.verbose));
    commandLine.setParameterExceptionHandler((wrong, arguments) -> reportUsage(wrong));
    int exitCode = commandLine.execute(args);
    return exitCode == 0 && System.out.checkError()
        ? report(Output.failure(), commandLine, false)
        : exitCode;
  }

  /** Tells of wrong usage in a few lines, which may quote what a stranger has written. */
  private static int reportUsage(ParameterException wrong) {
    CommandLine asked = wrong.getCommandLine();
    boolean isCommandMissing = asked.getParent() == null;
    String message =
        isCommandMissing && wrong instanceof UnmatchedArgumentException unmatched
            ? "no such command: " + unmatched.getUnmatched().get(0)
            : inPlainWords(String.valueOf(wrong.getMessage()));
    PrintWriter err = asked.getErr();
    err.println("kv: " + Printable.of(message));
    if (isCommandMissing) {
      asked.usage(err);
    } else {
      Help help = asked.getHelp();
      err.print(help.synopsisHeading() + help.synopsis(help.synopsisHeadingLength()));
      err.println("'kv help " + asked.getCommandName() + "' tells more");
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

  private static int report(Exception failure, CommandLine failed, boolean verbose) {
    String message = FailureText.describe(failure);
    if (!message.isEmpty()) {
      failed.getErr().println("kv: " + message);
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

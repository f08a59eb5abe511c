package dev.kv.jmh;

import dev.kv.jmh.bench.DbBenchCommand;
import dev.kv.jmh.report.ReportCommand;
import java.io.IOException;
import java.util.Arrays;
import picocli.CommandLine;

/** The entry point: {@code db_bench ...}, {@code report ...}, or the arguments of JMH. */
public final class Main {

  private Main() {}

  /** Runs the command that the arguments name, or JMH. */
  public static void main(String[] args) throws IOException {
    String first = args.length == 0 ? "" : args[0];
    switch (first) {
      case "db_bench" -> System.exit(execute(new DbBenchCommand(System.out), args));
      case "report" -> System.exit(execute(new ReportCommand(System.out), args));
      default -> org.openjdk.jmh.Main.main(args);
    }
  }

  private static int execute(Object command, String[] args) {
    return commandLine(command).execute(Arrays.copyOfRange(args, 1, args.length));
  }

  /** Returns the parser of a command, to which an argument that begins with @ is a plain one. */
  static CommandLine commandLine(Object command) {
    return new CommandLine(command)
        .setCaseInsensitiveEnumValuesAllowed(true)
        .setExpandAtFiles(false);
  }
}

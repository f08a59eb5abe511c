package dev.kv.tools;

import picocli.CommandLine;
import picocli.CommandLine.Command;

/** The entry point of the kv command line. */
@Command(
    name = "kv",
    mixinStandardHelpOptions = true,
    description = "Reads, writes and inspects key-value stores.")
public final class Main implements Runnable {

  /** Made by the command line parser. */
  Main() {}

  /** Runs one command and exits with its code. */
  public static void main(String[] args) {
    System.exit(new CommandLine(new Main()).execute(args));
  }

  @Override
  public void run() {
    CommandLine.usage(this, System.out);
  }
}

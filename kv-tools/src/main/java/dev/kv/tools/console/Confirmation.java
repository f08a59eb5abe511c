package dev.kv.tools.console;

import java.io.IOException;
import java.io.PrintWriter;
import java.util.Locale;

/** The question before a command deletes a whole database. */
public final class Confirmation {
  private Confirmation() {}

  /**
   * Asks, and reads the answer from standard input.
   *
   * @throws Failure if the answer is neither {@code y} nor {@code yes}
   */
  public static void require(PrintWriter err, String question) throws IOException {
    err.println("kv: " + question + " (yes/no)");
    err.flush();
    String answer = StandardStreams.lines().readLine();
    if (answer == null || !answer.strip().toLowerCase(Locale.ROOT).matches("y|yes")) {
      throw new Failure("nothing was deleted: the answer was not 'yes'");
    }
  }
}

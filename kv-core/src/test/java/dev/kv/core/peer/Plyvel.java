package dev.kv.core.peer;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A current C++ LevelDB: Python's plyvel, in a process of its own. */
public final class Plyvel {
  /** The note that the build prints at its end. */
  private static final Path NOTE = Path.of("target", "not-compared.txt");

  private Plyvel() {}

  /**
   * Looks for plyvel. If it is not there, prints the reason, and leaves a note that the build
   * prints at its end; if the environment variable CI is true, this is an error.
   *
   * @return true if Python can import plyvel
   * @throws InterruptedException if the thread is interrupted while Python runs
   */
  public static boolean isAvailable() throws InterruptedException {
    String reason;
    try {
      Process probe =
          new ProcessBuilder("python3", "-c", "import plyvel").redirectErrorStream(true).start();
      String output = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      if (probe.waitFor() == 0) {
        Files.deleteIfExists(NOTE);
        return true;
      }
      reason = "python3 has no plyvel: " + output.strip();
    } catch (IOException e) {
      reason = "there is no python3: " + e.getMessage();
    }
    System.out.println("Not compared with a current C++ LevelDB: " + reason);
    if ("true".equals(System.getenv("CI"))) {
      throw new AssertionError(reason);
    }
    leaveNote();
    return false;
  }

  private static void leaveNote() {
    try {
      Files.createDirectories(NOTE.getParent());
      Files.writeString(
          NOTE,
          "Not compared with C++ LevelDB: PlyvelPeerTest and KillLoopTest were skipped in part or"
              + " whole, since python3 has no plyvel; 'pip install plyvel' adds it.");
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Returns the beginning of the command that runs a script.
   *
   * @param resource the script, as an absolute name of a resource
   * @return Python, and the path of the script
   */
  public static List<String> command(String resource) {
    try {
      return List.of("python3", Path.of(Plyvel.class.getResource(resource).toURI()).toString());
    } catch (URISyntaxException e) {
      throw new AssertionError(e);
    }
  }
}

package dev.kv.tools.database;

import dev.kv.tools.console.Failure;
import java.nio.file.Path;
import picocli.CommandLine.Option;

/** The option of commands that write, for a database whose program keeps logs for readers. */
public final class ChangeFeedArguments {
  @Option(
      names = "--end-change-feed",
      description =
          "Write even if the database has a file CHANGES. This deletes the file and the logs that"
              + " are kept for readers of changes, who have to start over.")
  private boolean end;

  /**
   * Checks that a write ends no change feed, or that it is told to.
   *
   * @throws Failure if the directory holds a database with a file CHANGES, and the option was not
   *     given
   */
  void require(Path directory) {
    if (!end && DatabaseFiles.isDatabase(directory) && DatabaseFiles.hasChanges(directory)) {
      throw new Failure(
          directory
              + ": has a file CHANGES: its program keeps logs for readers of changes. A write by kv"
              + " would delete CHANGES and these logs, and the readers would have to start over."
              + " Write with that program, or give --end-change-feed");
    }
  }
}

package dev.kv.tools.backup;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** Makes backups of databases, and restores them. */
@Command(
    name = "backup",
    description =
        "Make backups of a database in a directory of their own, and restore them. A file that"
            + " several backups contain is stored once.",
    subcommands = {
      CreateCommand.class,
      ListCommand.class,
      VerifyCommand.class,
      RestoreCommand.class,
      PruneCommand.class
    },
    mixinStandardHelpOptions = true)
public final class BackupCommand implements Runnable {
  @Spec private CommandSpec spec;

  @Override
  public void run() {
    throw new ParameterException(spec.commandLine(), "Missing command after backup");
  }
}

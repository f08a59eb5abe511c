package dev.kv.tools.bench;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.tools.console.Failure;
import dev.kv.tools.database.DatabaseFiles;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Shows the library in use, and checks everything that it reads. */
@Command(
    name = "demo",
    description =
        "Write a million entries, change them, read them in every way, compact, reopen, and check "
            + "every entry; print rates and levels. The database is kept for the other commands. "
            + "Exit 1 if a value that was read differs from what was written.",
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DIR",
      description =
          "A new directory; default kv-demo in the temporary directory, which is replaced.")
  private @Nullable Path directory;

  @Option(
      names = "--entries",
      paramLabel = "N",
      description = "The number of entries; default ${DEFAULT-VALUE}.")
  private int entries = 1_000_000;

  @Override
  public Integer call() {
    if (entries < 1) {
      throw new ParameterException(spec.commandLine(), "--entries must be at least 1");
    }
    Path target = directory;
    if (target == null) {
      target = Path.of(System.getProperty("java.io.tmpdir"), "kv-demo");
      DB.destroy(target, Options.DEFAULT);
    } else if (DatabaseFiles.isDatabase(target)) {
      throw new Failure(target + ": already holds a database; name a new directory");
    }
    new Demo(target, new DemoData(entries), System.out).run();
    return 0;
  }
}

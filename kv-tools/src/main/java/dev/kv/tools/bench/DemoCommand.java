package dev.kv.tools.bench;

import dev.kv.tools.console.Failure;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.text.Printable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import java.util.stream.Stream;
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
            + "every entry; print rates and levels. "
            + "Exit 1 if a value that was read differs from what was written.",
    mixinStandardHelpOptions = true)
public final class DemoCommand implements Callable<Integer> {
  @Spec private CommandSpec spec;

  @Parameters(
      index = "0",
      arity = "0..1",
      paramLabel = "DIR",
      description =
          "A new directory, which is kept; default one in the temporary directory, which is"
              + " deleted at the end.")
  private @Nullable Path directory;

  @Option(
      names = "--entries",
      paramLabel = "N",
      description = "The number of entries; default ${DEFAULT-VALUE}.")
  private int entries = 1_000_000;

  @Option(names = "--json", description = "Print one JSON object for each phase.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    if (entries < 1) {
      throw new ParameterException(spec.commandLine(), "--entries must be at least 1");
    }
    Path target = directory;
    if (target != null) {
      requireNew(target);
      new Demo(target, new DemoData(entries), json, System.out).run();
      if (!json) {
        System.out.println("The database is in " + Printable.of(target.toString()));
      }
      return 0;
    }
    try (ScratchDirectory made = new ScratchDirectory(Files.createTempDirectory("kv-demo"))) {
      new Demo(made.path(), new DemoData(entries), json, System.out).run();
    }
    return 0;
  }

  /** Refuses a directory with files, and a file. */
  static void requireNew(Path directory) throws IOException {
    DatabaseFiles.requireNoDanglingLink(directory);
    boolean exists = DatabaseFiles.exists(directory);
    if (exists && !Files.isDirectory(directory)) {
      throw new Failure(directory + ": not a directory");
    }
    if (DatabaseFiles.isDatabase(directory)) {
      throw new Failure(directory + ": already holds a database; name a new directory");
    }
    if (exists) {
      try (Stream<Path> files = Files.list(directory)) {
        if (files.findAny().isPresent()) {
          throw new Failure(directory + ": holds other files; name a new directory");
        }
      }
    }
  }
}

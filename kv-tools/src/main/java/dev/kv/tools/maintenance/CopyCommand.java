package dev.kv.tools.maintenance;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.ReadOptions;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.env.Env;
import dev.kv.file.NewDirectory;
import dev.kv.tools.console.Cancellation;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.database.KeyBounds;
import dev.kv.tools.database.KeyOrder;
import dev.kv.tools.database.TableArguments;
import dev.kv.tools.text.Json;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Writes a compact copy of a database. */
@Command(
    name = "copy",
    description =
        "Write a compact copy of a database to a directory that does not exist yet. The copy is"
            + " named DST.partial until it is complete.",
    mixinStandardHelpOptions = true)
public final class CopyCommand implements Callable<Integer> {
  private static final int BATCH_BYTES = 1 << 20;

  @Spec private CommandSpec spec;
  @Mixin private DatabaseArguments source;
  @Mixin private TableArguments tables;

  @Parameters(index = "1", paramLabel = "DST", description = "The copy's directory.")
  private Path target;

  @Option(
      names = "--block-size",
      paramLabel = "BYTES",
      description =
          "The size of a data block before compression, from 1024 to 4194304; default"
              + " ${DEFAULT-VALUE}.")
  private long blockSize = Options.DEFAULT.blockSize();

  @Option(
      names = "--to-comparator",
      description = "The order of the copy; default the order of the source.")
  private @Nullable KeyOrder order;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    Options.Builder options = tables.options().blockSize(Math.max(0, blockSize));
    for (Options.ClippedValue clipped : options.build().clippedValues()) {
      throw new ParameterException(
          spec.commandLine(),
          "--block-size: " + blockSize + " is out of range; the nearest is " + clipped.used());
    }
    source.requireNoOtherOrder();
    long entries;
    Meter read = new Meter();
    Meter written = new Meter();
    try (NewDirectory made = begin()) {
      try (ReadOnlyDB from = source.openReadOnly(read);
          DB to = DB.open(made.path(), targetOptions(options).env(written).build())) {
        entries = copy(from, to, read);
        CompactCommand.compact(to, written, null, null);
      }
      made.publish();
    }
    try (Output out = new Output()) {
      out.line(json ? Json.of(Map.of("entries", entries)) : entries + " entries");
    }
    return 0;
  }

  private NewDirectory begin() throws IOException {
    try {
      return NewDirectory.begin(Env.fileSystem(), target);
    } catch (FileAlreadyExistsException e) {
      throw new Failure(target + ": already exists; name a new directory");
    }
  }

  private Options.Builder targetOptions(Options.Builder options) {
    DBComparator comparator = order == null ? source.comparator() : order.named();
    return options
        .errorIfExists(true)
        .comparator(comparator)
        .tables(t -> t.suffix(DatabaseFiles.suffix(source.directory())));
  }

  private static long copy(ReadOnlyDB from, DB to, Meter meter) {
    long count = 0;
    ReadOptions reading = ReadOptions.builder().fillCache(false).build();
    try (DBIterator entries = from.iterator(reading);
        Progress progress =
            Progress.of(
                "copy",
                Progress.Unit.BYTES,
                () -> new KeyBounds().approximateSize(from),
                meter::bytesRead)) {
      progress.begin();
      WriteBatch batch = WriteBatch.create();
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        Cancellation.check();
        batch.put(entries.key(), entries.value());
        if (batch.approximateSize() >= BATCH_BYTES) {
          to.write(batch);
          batch.clear();
        }
        count++;
      }
      to.write(WriteOptions.SYNC, batch);
    }
    return count;
  }
}

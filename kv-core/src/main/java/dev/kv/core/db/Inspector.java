package dev.kv.core.db;

import dev.kv.admin.DBInspector;
import dev.kv.admin.DBStats;
import dev.kv.admin.LiveFiles;
import dev.kv.bytes.Range;
import dev.kv.core.checkpoint.Checkpoint;
import dev.kv.core.state.DatabaseStats;
import dev.kv.env.Env;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** What an operator asks of an open database. */
class Inspector implements DBInspector {
  private final Runnable checkOpen;
  private final DatabaseStats stats;
  private final Env env;
  private final Supplier<LiveFiles> capture;

  /**
   * Creates the object.
   *
   * @param checkOpen throws after the close
   * @param env the environment of the database
   * @param capture returns the files of this moment, which it keeps
   */
  Inspector(Runnable checkOpen, DatabaseStats stats, Env env, Supplier<LiveFiles> capture) {
    this.checkOpen = checkOpen;
    this.stats = stats;
    this.env = env;
    this.capture = capture;
  }

  final void checkOpen() {
    checkOpen.run();
  }

  @Override
  public final @Nullable String property(String name) {
    Objects.requireNonNull(name, "name");
    checkOpen();
    return stats.property(name);
  }

  @Override
  public final DBStats stats() {
    checkOpen();
    return stats.stats();
  }

  @Override
  public final long[] approximateSizes(List<Range> ranges) {
    Objects.requireNonNull(ranges, "ranges");
    checkOpen();
    long[] sizes = stats.approximateSizes(ranges);
    checkOpen();
    return sizes;
  }

  @Override
  public final long checkpoint(Path directory) {
    Objects.requireNonNull(directory, "directory");
    checkOpen();
    return Checkpoint.write(env, directory, capture);
  }

  @Override
  public final LiveFiles suspendDeletions() {
    checkOpen();
    return capture.get();
  }
}

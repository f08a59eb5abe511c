package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.core.Children;
import dev.kv.core.FullHeaps;
import dev.kv.core.event.Events;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.MappedLogFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** A switch of logs in a JVM whose heap is full. */
class NewLogsShortageTest {
  /** Or else the current log would stay prepared, and two memtables would get one log. */
  @Test
  void removePrepared_besideACreationAndWithoutMemory_waitsForIt() throws Exception {
    Children.Ended child = Children.run(List.of("-Xmx24m", "-XX:+UseSerialGC"), FullHeap.class);
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("removed");
  }

  /** The program of the child JVM. What it does with a full heap, it has done once before. */
  static final class FullHeap extends ForwardingEnv {
    private final Object[] fill = new Object[1 << 20];
    private volatile boolean creating;
    private volatile boolean removing;

    private FullHeap() {
      super(Env.inMemory());
    }

    public static void main(String[] arguments) throws Exception {
      FullHeap env = new FullHeap();
      Path directory = Path.of("/db");
      env.createDirectory(directory);
      DatabaseContext context = new DatabaseContext(directory, Options.builder().env(env).build());
      ErrorHandler errors = new ErrorHandler(new Events("db", null));
      VersionSet versions = new VersionSet(context.manifestContext(), () -> {});
      NewLogs logs =
          new NewLogs(context, new ObsoleteFiles(context, versions, errors, null), errors);
      env.removeBesideCreation(logs, false);
      env.removeBesideCreation(logs, true);
      System.out.println("removed");
    }

    private void removeBesideCreation(NewLogs logs, boolean withoutMemory) throws Exception {
      Thread creator = new Thread(logs::prepareNext);
      creator.setDaemon(true);
      creating = false;
      removing = false;
      creator.start();
      while (!creating) {
        Thread.onSpinWait();
      }
      try {
        if (withoutMemory) {
          FullHeaps.fill(fill);
        }
        removing = true;
        logs.removePrepared();
      } finally {
        Arrays.fill(fill, null);
      }
      creator.join();
    }

    /** Holds the lock of the logs until another thread waits for it. */
    @Override
    public @Nullable MappedLogFile createMappedLog(Path file) throws IOException {
      creating = true;
      while (!removing) {
        Thread.onSpinWait();
      }
      long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(200);
      while (System.nanoTime() - end < 0) {
        Thread.onSpinWait();
      }
      return super.createMappedLog(file);
    }
  }
}

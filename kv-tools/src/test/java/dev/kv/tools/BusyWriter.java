package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A writer of a small database that flushes and compacts all the time. Its close checks that it
 * wrote until then.
 */
public final class BusyWriter implements AutoCloseable {
  private final DB db;
  private final Thread thread = new Thread(this::write);
  private final AtomicBoolean stop = new AtomicBoolean();
  private final AtomicBoolean stopped = new AtomicBoolean();

  /** Creates the database, and begins. */
  public BusyWriter(Path directory) {
    db =
        DB.open(
            directory, Options.builder().createIfMissing(true).writeBufferSize(64 << 10).build());
    db.put(new byte[] {1}, new byte[] {1});
    thread.start();
  }

  private void write() {
    byte[] value = new byte[300];
    for (int i = 0; !stop.get(); i = (i + 7919) % 5000) {
      value[i % value.length]++;
      db.put(("key" + i).getBytes(), value);
    }
    stopped.set(true);
  }

  @Override
  public void close() throws InterruptedException {
    stop.set(true);
    thread.join();
    db.close();
    assertThat(stopped).as("the writer wrote until it was stopped").isTrue();
  }
}

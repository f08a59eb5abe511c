package dev.kv.core;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** A hundred open databases in a JVM with 64 MiB of heap and as much direct memory. */
@Timeout(value = 5, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class ManyDatabasesTest {
  private static final int DATABASES = 100;

  @TempDir Path temp;

  @Test
  void databases_oneEntryEach_takeLittleMemory() throws IOException, InterruptedException {
    Children.Ended child =
        Children.run(List.of("-Xmx64m", "-ea"), OneEntryEach.class, temp.toString());
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output()).contains("all open");
  }

  /** The program of the child JVM. */
  static final class OneEntryEach {
    private OneEntryEach() {}

    public static void main(String[] args) {
      byte[] key = "key".getBytes(StandardCharsets.UTF_8);
      List<DB> open = new ArrayList<>();
      long memtables = 0;
      for (int i = 0; i < DATABASES; i++) {
        DB db =
            DB.open(Path.of(args[0], "db" + i), Options.builder().createIfMissing(true).build());
        open.add(db);
        db.put(key, new byte[100]);
        memtables += db.stats().offHeap().memtables();
      }
      if (memtables > DATABASES * (64L << 10)) {
        throw new AssertionError(memtables + " bytes of memtables");
      }
      for (DB db : open) {
        if (db.get(key) == null) {
          throw new AssertionError("an entry is missing");
        }
      }
      System.out.println("all open");
      open.forEach(DB::close);
    }
  }
}

package dev.kv.core.read;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.admin.DBStats;
import dev.kv.core.Children;
import dev.kv.core.db.DbTestBase;
import java.io.IOException;
import java.lang.ref.Reference;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Iterators that a program loses without closing them. */
class LostIteratorsTest extends DbTestBase {
  private static final int MORE_THAN_FIT = 300_000;

  /** A stack trace for each iterator takes time, too. */
  private static final int TRACKED = Boolean.getBoolean("kv.long") ? MORE_THAN_FIT : 75_000;

  /** Opens more iterators than a small heap holds, and closes none. */
  static final class Losing {
    private Losing() {}

    public static void main(String[] args) {
      Options options = Options.builder().createIfMissing(true).build();
      try (DB db = DB.open(Path.of(args[0]), options)) {
        db.put(bytes("a"), bytes("1"));
        int count = Integer.parseInt(args[1]);
        for (int i = 0; i < count; i++) {
          DBIterator lost = lose(db);
          lost.seekToFirst();
        }
        DBStats stats = db.admin().stats();
        if (stats.views().iterators() + stats.views().leakedIterators() != count) {
          throw new AssertionError(stats.toString());
        }
        System.out.println("leaked " + stats.views().leakedIterators());
      }
    }

    private static DBIterator lose(DB db) {
      return db.iterator();
    }
  }

  @Test
  void iterators_lostInASmallHeap_areReleasedAndReportedOnce()
      throws IOException, InterruptedException {
    Children.Ended child = lose(MORE_THAN_FIT, "-Xmx64m");
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output())
        .contains("leaked ")
        .containsOnlyOnce("garbage-collected without having been closed")
        .contains(directory.toString())
        .contains("-Dkv.trackIterators=true")
        .doesNotContain("the iterator was opened here");
  }

  @Test
  void iterators_lostWhileTracked_areReportedWithThePlaceOfTheirOpen()
      throws IOException, InterruptedException {
    // A stack trace for each iterator takes several times the memory of the iterator
    Children.Ended child = lose(TRACKED, "-Xmx256m", "-Dkv.trackIterators=true");
    assertThat(child.exitCode()).as(child.output()).isZero();
    assertThat(child.output())
        .containsOnlyOnce("garbage-collected without having been closed")
        .containsOnlyOnce("the iterator was opened here")
        .contains("LostIteratorsTest$Losing.lose(");
  }

  private Children.Ended lose(int count, String... flags) throws IOException, InterruptedException {
    return Children.run(
        List.of(flags), Losing.class, directory.toString(), Integer.toString(count));
  }

  @Test
  void iterator_lost_isCountedAndNotOpenAfterTheNextCollections() {
    open();
    put("a", "1");
    seekAndLose();
    var views = db.admin().stats().views();
    assertThat(views.iterators() + views.leakedIterators()).isEqualTo(1);
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
    while (db.admin().stats().views().leakedIterators() == 0 && System.nanoTime() < end) {
      System.gc();
    }
    views = db.admin().stats().views();
    assertThat(views.leakedIterators()).isEqualTo(1);
    assertThat(views.iterators()).isZero();
  }

  /** Loses the iterator at its end: not before it has pinned the tables. */
  private void compactBesideAnIterator(List<Path> pinned) throws IOException {
    DBIterator lost = db.iterator();
    lost.seekToFirst();
    db.admin().compactRange(null, null);
    assertThat(tables()).containsAll(pinned);
    Reference.reachabilityFence(lost);
  }

  @Test
  void iterator_lost_letsTheMaintenanceThreadDeleteItsTables() throws IOException {
    open();
    makeTables(4, "a", "z");
    List<Path> pinned = tables();
    compactBesideAnIterator(pinned);

    byte[] value = new byte[10_000];
    while (db.admin().stats().views().leakedIterators() == 0
        || tables().stream().anyMatch(pinned::contains)) {
      System.gc();
      db.put(bytes("m"), value);
    }
    assertThat(db.admin().stats().views().leakedIterators()).isEqualTo(1);
  }

  private void seekAndLose() {
    DBIterator lost = db.iterator();
    lost.seekToFirst();
  }

  private List<Path> tables() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.filter(file -> file.toString().endsWith(".ldb")).toList();
    }
  }
}

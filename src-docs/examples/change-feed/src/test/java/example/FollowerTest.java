package example;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.file.Path;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FollowerTest {
  private static final Options OPTIONS = Options.builder().createIfMissing(true).build();
  private static final int KILLS = 3;

  @TempDir Path temp;

  private DB openSource() {
    return DB.open(temp.resolve("source"), Follower.KEEPS_LOGS);
  }

  private DB openCopy() {
    return DB.open(temp.resolve("copy"), OPTIONS);
  }

  @Test
  void catchUp_afterRestarts_goesOnWithoutANewCopy() {
    for (int run = 0; run < 3; run++) {
      try (DB source = openSource();
          DB copy = openCopy()) {
        write(source, 500);
        assertInStep(source, copy, run == 0 ? 1 : 0);
        write(source, 500);
        assertInStep(source, copy, 0);
        write(source, 500); // the next run begins with changes of this one
      }
    }
  }

  @Test
  void catchUp_changesWrittenWithoutLogs_copiesAnew() {
    try (DB source = openSource();
        DB copy = openCopy()) {
      write(source, 500);
      assertInStep(source, copy, 1);
    }
    try (DB source = DB.open(temp.resolve("source"), OPTIONS)) {
      write(source, 500);
    }
    try (DB source = openSource();
        DB copy = openCopy()) {
      assertInStep(source, copy, 1);
      write(source, 500);
      assertInStep(source, copy, 0);
    }
  }

  @Test
  void catchUp_copyWithoutPosition_replacesItsEntries() {
    try (DB source = openSource();
        DB copy = openCopy()) {
      write(source, 500);
      copy.put("left by a copy that was interrupted".getBytes(UTF_8), new byte[0]);
      assertInStep(source, copy, 1);
    }
  }

  @Test
  void main_killedAndStartedAgain_goesOnWithoutANewCopy() throws Exception {
    long copied = 0;
    for (int kill = 0; kill < KILLS; kill++) {
      copied = killWhenCopied(copied + 2000);
    }
    try (DB source = openSource();
        DB copy = openCopy()) {
      assertTrue(Main.count(copy) >= copied, "the copy lost what it had");
      assertInStep(source, copy, 0);
    }
  }

  /** Runs the program until the copy has a count, kills it, and returns the count. */
  private long killWhenCopied(long wanted) throws IOException, InterruptedException {
    Process program =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-cp",
                System.getProperty("java.class.path"),
                "example.Main",
                temp.resolve("source").toString(),
                temp.resolve("copy").toString())
            .redirectErrorStream(true)
            .start();
    try (BufferedReader output = program.inputReader(UTF_8)) {
      while (true) {
        String line = output.readLine();
        assertNotNull(line, "the program ended");
        String[] words = line.split(" ");
        assertTrue(words.length == 4 && words[0].equals("source"), line);
        if (Long.parseLong(words[3]) >= wanted) {
          return Long.parseLong(words[3]);
        }
      }
    } finally {
      program.destroyForcibly().waitFor();
    }
  }

  private static void write(DB source, int count) {
    for (int i = 0; i < count; i++) {
      Main.writeNext(source);
    }
  }

  /** Lets a new follower catch up, and checks that the copy is equal and how it came about. */
  private static void assertInStep(DB source, DB copy, int newCopies) {
    source.admin().flush(); // now all changes are durable
    Follower follower = new Follower(source, copy);
    follower.catchUp();
    SortedMap<String, String> wanted = entries(source);
    assertTrue(wanted.size() > 100);
    SortedMap<String, String> found = entries(copy);
    assertNotNull(found.remove("\0position"));
    assertEquals(wanted, found);
    assertEquals(newCopies, follower.newCopies());
  }

  private static SortedMap<String, String> entries(DB db) {
    SortedMap<String, String> entries = new TreeMap<>();
    db.forEach(
        ReadOptions.DEFAULT,
        (key, value) -> entries.put(key.toUtf8String(), value.toUtf8String()));
    return entries;
  }
}

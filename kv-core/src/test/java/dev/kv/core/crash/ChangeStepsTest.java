package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.env.Env;
import dev.kv.load.BulkLoader;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Kills before each operation on a file of a bulk load and of a range delete. What a kill leaves is
 * opened by C++ LevelDB and then by kv, and by kv alone. All see the state before or after.
 */
@Tag("one-jdk")
final class ChangeStepsTest {
  @TempDir Path temp;

  private final List<Path> kills = new ArrayList<>();
  private volatile boolean armed;

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  private void kill(Path directory) {
    try {
      Path copy = temp.resolve("kill" + kills.size());
      Set<String> before;
      do { // until no other thread has created or deleted a file meanwhile
        before = names(directory);
        copy(directory, copy);
      } while (!names(directory).equals(before) || !names(copy).equals(before));
      kills.add(copy);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Set<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).collect(Collectors.toSet());
    }
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    for (String name : names(to)) {
      Files.delete(to.resolve(name));
    }
    for (String name : names(from)) {
      try {
        Files.copy(from.resolve(name), to.resolve(name));
      } catch (NoSuchFileException e) {
        return; // deleted meanwhile
      }
    }
  }

  private static TreeMap<byte[], byte[]> read(Path directory) {
    TreeMap<byte[], byte[]> entries = new TreeMap<>(Arrays::compareUnsigned);
    try (DB db = DB.open(directory, Options.DEFAULT);
        DBIterator all = db.iterator()) {
      for (all.seekToFirst(); all.isValid(); all.next()) {
        entries.put(all.key(), all.value());
      }
    }
    return entries;
  }

  private static String text(TreeMap<byte[], byte[]> entries) {
    StringBuilder text = new StringBuilder();
    entries.forEach(
        (key, value) ->
            text.append(new String(key, StandardCharsets.UTF_8))
                .append('=')
                .append(new String(value, StandardCharsets.UTF_8))
                .append(' '));
    return text.toString().strip();
  }

  private void change(DB db, Path directory, Runnable change) {
    armed = true;
    change.run();
    armed = false;
    kill(directory);
  }

  @Test
  void kill_atEachStepOfAChange_leavesTheStateBeforeOrAfterForCppToo() throws Exception {
    Path directory = temp.resolve("db");
    FaultEnv env = new FaultEnv(Env.fileSystem());
    Thread self = Thread.currentThread();
    List<Integer> acknowledged = new ArrayList<>();
    try (DB db = DB.open(directory, Options.builder().createIfMissing(true).env(env).build())) {
      db.put(bytes("a"), bytes("1"));
      db.put(bytes("z"), bytes("2"));
      db.admin().flush();
      db.put(bytes("y"), bytes("3"));
      env.watch(
          operation -> {
            if (armed && Thread.currentThread() == self) {
              kill(directory);
            }
          });
      change(
          db,
          directory,
          () -> {
            try (BulkLoader loader = db.loads().bulkLoader()) {
              loader.put(bytes("l"), bytes("4"));
              loader.finish();
            }
          });
      acknowledged.add(kills.size() - 1);
      change(db, directory, () -> db.deleteRange(bytes("a"), bytes("b")));
      acknowledged.add(kills.size() - 1);
      env.watch(operation -> {});
    }
    List<String> states = List.of("a=1 y=3 z=2", "a=1 l=4 y=3 z=2", "l=4 y=3 z=2");
    assertThat(kills).hasSizeGreaterThan(20);
    try (Cpp cpp = Cpp.start()) {
      assumeTrue(cpp != null, "Python has no plyvel");
      int least = 0;
      for (int i = 0; i < kills.size(); i++) {
        Path copy = temp.resolve("copy" + i);
        copy(kills.get(i), copy);
        String byCpp = text(cpp.read(copy));
        assertThat(states).as("kill %d", i).contains(byCpp);
        assertThat(states.indexOf(byCpp)).as("kill %d", i).isGreaterThanOrEqualTo(least);
        assertThat(text(read(copy))).as("kill %d, after C++ LevelDB", i).isEqualTo(byCpp);
        assertThat(text(read(kills.get(i)))).as("kill %d", i).isEqualTo(byCpp);
        least = states.indexOf(byCpp);
        if (acknowledged.contains(i)) {
          assertThat(byCpp).isEqualTo(states.get(acknowledged.indexOf(i) + 1));
        }
      }
    }
  }
}

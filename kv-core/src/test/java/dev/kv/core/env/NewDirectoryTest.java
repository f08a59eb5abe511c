package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.env.Env;
import dev.kv.file.NewDirectory;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

class NewDirectoryTest {
  @TempDir Path temp;

  private static void publish(Env env, Path target) throws IOException {
    try (NewDirectory made = NewDirectory.begin(env, target)) {
      made.publish();
    }
  }

  private static List<String> names(Path directory) throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      return files.map(file -> file.getFileName().toString()).toList();
    }
  }

  /** Returns an environment that adds each directory to a list before it syncs it. */
  private static Env notingSyncs(List<Path> synced) {
    FaultEnv env = new FaultEnv(Env.fileSystem());
    env.watch(
        operation -> {
          if (operation.kind() == FaultEnv.Kind.SYNC_DIRECTORY) {
            synced.add(operation.path());
          }
        });
    return env;
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "there .. undoes the name before it")
  void directory_aboveWhatALinkLeadsTo_isWhereTheSystemFindsIt() throws IOException {
    Path deep = Files.createDirectories(temp.resolve("real/deep"));
    Path above = Files.createSymbolicLink(temp.resolve("link"), deep).resolve("..");
    publish(Env.fileSystem(), above.resolve("made"));
    assertThat(names(temp.resolve("real"))).containsExactlyInAnyOrder("deep", "made");
    assertThat(names(temp)).containsExactlyInAnyOrder("real", "link");
    List<Path> synced = new ArrayList<>();
    Env env = notingSyncs(synced);
    assertThat(NewDirectory.createDurably(env, above.resolve("durable"))).isEmpty();
    assertThat(synced).hasSize(1);
    assertThat(synced.get(0).toRealPath()).isEqualTo(temp.resolve("real").toRealPath());
  }

  @Test
  void target_withDots_isTheDirectoryThatThePathNames() throws IOException {
    Path there = Files.createDirectory(temp.resolve("there"));
    publish(Env.fileSystem(), temp.resolve("./made/."));
    publish(Env.fileSystem(), there.resolve("../second"));
    assertThat(names(temp)).containsExactlyInAnyOrder("there", "made", "second");
    for (String existing : List.of("there/..", "there/.", ".")) {
      assertThatThrownBy(() -> NewDirectory.begin(Env.fileSystem(), temp.resolve(existing)))
          .isInstanceOf(FileAlreadyExistsException.class);
    }
    assertThatThrownBy(() -> NewDirectory.begin(Env.fileSystem(), temp.resolve("nowhere/..")))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(names(temp)).containsExactlyInAnyOrder("there", "made", "second");
    assertThat(names(there)).isEmpty();
  }

  @Test
  void target_withoutAParent_isInTheWorkingDirectory() throws IOException {
    Env env = Env.inMemory();
    Path working = Path.of("").toAbsolutePath();
    env.createDirectory(working);
    publish(env, Path.of("made"));
    assertThat(env.list(working)).containsExactly("made");
    assertThatThrownBy(() -> NewDirectory.begin(env, working.getRoot()))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void createDurably_ofAPathWithDots_syncsTheEntryOfTheDirectory() throws IOException {
    Path there = Files.createDirectory(temp.resolve("there"));
    List<Path> synced = new ArrayList<>();
    Env env = notingSyncs(synced);
    for (String path : List.of("there/.", "./there", "there/deeper/..")) {
      synced.clear();
      Files.createDirectories(there.resolve("deeper"));
      assertThat(NewDirectory.createDurably(env, temp.resolve(path))).isEmpty();
      assertThat(synced).as(path).hasSize(1);
      assertThat(synced.get(0).toRealPath()).as(path).isEqualTo(temp.toRealPath());
    }
  }
}

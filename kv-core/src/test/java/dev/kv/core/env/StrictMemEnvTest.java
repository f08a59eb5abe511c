package dev.kv.core.env;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class StrictMemEnvTest extends EnvContract {
  private StrictMemEnv strict;

  @Override
  protected Env newEnv() {
    strict = new StrictMemEnv();
    return strict;
  }

  @Override
  protected Path newDirectory(Env env) throws IOException {
    Path directory = Path.of("/strict/db");
    env.createDirectory(directory);
    env.syncDirectory(directory.getParent());
    env.syncDirectory(directory.getRoot());
    return directory;
  }

  private static byte[] read(Env env, Path path) throws IOException {
    ByteBuffer into = ByteBuffer.allocate((int) env.size(path));
    try (SequentialFile file = env.openSequential(path)) {
      while (into.hasRemaining() && file.read(into) >= 0) {
        assertThat(into.position()).isPositive();
      }
    }
    return into.array();
  }

  @Test
  void crash_nothingSynced_nothingIsLeft() throws IOException {
    write("f", "hello");
    assertThat(strict.unsyncedNames()).isEqualTo(1);
    assertThat(strict.unsyncedPages()).isEqualTo(1);
    StrictMemEnv after = strict.crashClone(0, 1);
    assertThat(after.list(dir)).isEmpty();
    assertThat(readAll("f")).isEqualTo("hello".getBytes(US_ASCII));
  }

  @Test
  void crash_allKept_allIsLeftAndDurable() throws IOException {
    write("f", "hello");
    write("g", randomBytes(20_000, 1));
    env.rename(dir.resolve("f"), dir.resolve("h"));
    StrictMemEnv after = strict.crashClone(100, 1);
    assertThat(after.list(dir)).containsExactlyInAnyOrder("g", "h");
    assertThat(read(after, dir.resolve("g"))).isEqualTo(randomBytes(20_000, 1));
    assertThat(after.unsyncedNames() + after.unsyncedPages()).isZero();
    assertThat(after.crashClone(0, 2).list(dir)).containsExactlyInAnyOrder("g", "h");
  }

  @Test
  void crash_fileSyncedButNotItsName_isLost() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(ByteBuffer.wrap(new byte[10]));
      file.sync();
    }
    assertThat(strict.crashClone(0, 1).exists(dir.resolve("f"))).isFalse();
    env.syncDirectory(dir);
    assertThat(read(strict.crashClone(0, 1), dir.resolve("f"))).hasSize(10);
  }

  @Test
  void crash_nameSyncedButNotTheContent_isEmpty() throws IOException {
    write("f", "hello");
    env.syncDirectory(dir);
    assertThat(read(strict.crashClone(0, 1), dir.resolve("f"))).isEmpty();
  }

  @Test
  void crash_renameNotSynced_oneOfBothNamesIsLeft() throws IOException {
    write("old", "x");
    write("new", "y");
    for (String name : new String[] {"old", "new"}) {
      try (WritableFile file = env.openAppendable(dir.resolve(name))) {
        file.sync();
      }
    }
    env.syncDirectory(dir);
    env.rename(dir.resolve("new"), dir.resolve("old"));
    Set<String> seen = new HashSet<>();
    for (int seed = 0; seed < 50; seed++) {
      StrictMemEnv after = strict.crashClone(50, seed);
      String content = new String(read(after, dir.resolve("old")), US_ASCII);
      assertThat(after.exists(dir.resolve("new"))).isEqualTo(content.equals("x"));
      seen.add(content);
    }
    assertThat(seen).containsExactlyInAnyOrder("x", "y");
    env.syncDirectory(dir);
    assertThat(read(strict.crashClone(0, 1), dir.resolve("old"))).containsExactly('y');
  }

  @Test
  void crash_linkNotSynced_mayBeLostAndTheFileIsNot() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(ByteBuffer.wrap(new byte[10]));
      file.sync();
    }
    env.syncDirectory(dir);
    env.link(dir.resolve("f"), dir.resolve("g"));
    assertThat(strict.crashClone(0, 1).list(dir)).containsExactly("f");
    assertThat(strict.crashClone(100, 1).list(dir)).containsExactlyInAnyOrder("f", "g");
    env.delete(dir.resolve("f"));
    env.syncDirectory(dir);
    StrictMemEnv after = strict.crashClone(0, 1);
    assertThat(after.list(dir)).containsExactly("g");
    assertThat(read(after, dir.resolve("g"))).hasSize(10);
  }

  @Test
  void crash_directoryRenameNotSynced_leavesAllFilesUnderOneName() throws IOException {
    Path old = dir.resolve("old");
    Path renamed = dir.resolve("new");
    env.createDirectory(old);
    env.syncDirectory(dir);
    for (String name : new String[] {"f", "g"}) {
      try (WritableFile file = env.createWritable(old.resolve(name))) {
        file.append(ByteBuffer.wrap(new byte[10]));
        file.sync();
      }
    }
    env.syncDirectory(old);
    env.rename(old, renamed);
    Set<Boolean> seen = new HashSet<>();
    for (int seed = 0; seed < 50; seed++) {
      StrictMemEnv after = strict.crashClone(50, seed);
      boolean kept = after.exists(renamed);
      assertThat(after.exists(old)).isEqualTo(!kept);
      assertThat(after.list(kept ? renamed : old)).containsExactlyInAnyOrder("f", "g");
      assertThat(read(after, (kept ? renamed : old).resolve("g"))).hasSize(10);
      seen.add(kept);
    }
    assertThat(seen).containsExactlyInAnyOrder(true, false);
    env.syncDirectory(dir);
    assertThat(strict.crashClone(0, 1).list(renamed)).containsExactlyInAnyOrder("f", "g");
  }

  @Test
  void crash_newDirectoryWhoseParentIsNotSynced_isLostWithAllInIt() throws IOException {
    Path inner = dir.resolve("outer").resolve("inner");
    env.createDirectory(inner);
    try (WritableFile file = env.createWritable(inner.resolve("f"))) {
      file.sync();
    }
    env.syncDirectory(inner);
    env.syncDirectory(inner.getParent());
    assertThat(strict.crashClone(0, 1).exists(inner.getParent())).isFalse();
    assertThat(strict.crashClone(100, 1).list(inner)).containsExactly("f");
    env.syncDirectory(dir);
    assertThat(strict.crashClone(0, 1).list(inner)).containsExactly("f");
  }

  @Test
  void crash_directoryRenamedBeforeItsCreationWasSynced_isThereUnderItsNewName()
      throws IOException {
    Path old = dir.resolve("outer").resolve("old");
    Path renamed = dir.resolve("new");
    env.createDirectory(old);
    try (WritableFile file = env.createWritable(old.resolve("f"))) {
      file.sync();
    }
    env.syncDirectory(old);
    env.rename(old, renamed);
    env.syncDirectory(dir);
    assertThat(strict.crashClone(0, 1).list(renamed)).containsExactly("f");
  }

  @Test
  void crash_deletionNotSynced_bringsTheFileBack() throws IOException {
    write("f", "hello");
    try (WritableFile file = env.openAppendable(dir.resolve("f"))) {
      file.sync();
    }
    env.syncDirectory(dir);
    env.delete(dir.resolve("f"));
    assertThat(read(strict.crashClone(0, 1), dir.resolve("f"))).hasSize(5);
    assertThat(strict.crashClone(100, 1).exists(dir.resolve("f"))).isFalse();
    env.syncDirectory(dir);
    assertThat(strict.crashClone(0, 1).exists(dir.resolve("f"))).isFalse();
  }

  @Test
  void crash_mappedLog_syncedBytesSurviveAndTheRestIsTorn() throws IOException {
    int size = 64 << 10;
    byte[] data = new byte[size];
    Arrays.fill(data, (byte) 1);
    ByteBuffer source = ByteBuffer.allocateDirect(size).put(0, data);
    MappedLogFile log = mappedLog("l");
    env.syncDirectory(dir);
    log.reserve(size);
    log.store(0, source, 0, 20_000);
    log.sync(0, 20_000);
    for (int at = 20_000; at + 1000 <= size; at += 1000) {
      log.store(at, source, 0, 1000);
    }
    boolean lostPage = false;
    boolean tornPage = false;
    boolean reordered = false;
    for (int seed = 0; seed < 200; seed++) {
      byte[] after = read(strict.crashClone(50, seed), dir.resolve("l"));
      assertAll(after, 0, 20_000, 1);
      int pages = (after.length - 20_480) / 4096;
      boolean zeroSeen = false;
      for (int page = 0; page < pages - 1; page++) {
        int from = 20_480 + page * 4096;
        int ones = 0;
        for (int i = from; i < from + 4096; i++) {
          ones += after[i];
        }
        lostPage |= ones == 0;
        tornPage |= ones > 0 && ones < 4096 && ones % 512 == 0;
        reordered |= zeroSeen && ones > 0;
        zeroSeen |= ones == 0;
      }
    }
    assertThat(lostPage).isTrue();
    assertThat(tornPage).isTrue();
    assertThat(reordered).isTrue();
  }

  @Test
  void crash_cutNotSynced_mayBringTheOldSizeBack() throws IOException {
    MappedLogFile log = mappedLog("l");
    env.syncDirectory(dir);
    log.reserve(64 << 10);
    log.store(0, direct("hello"), 0, 5);
    log.sync(0, 5);
    log.cut(5);
    log.close();
    assertThat(read(strict.crashClone(0, 1), dir.resolve("l")))
        .hasSize(64 << 10)
        .startsWith("hello".getBytes(US_ASCII));
    assertThat(read(strict.crashClone(100, 1), dir.resolve("l")))
        .isEqualTo("hello".getBytes(US_ASCII));
  }

  @Test
  void crash_sameSeed_isTheSame() throws IOException {
    write("f", randomBytes(300_000, 5));
    write("g", randomBytes(300_000, 6));
    env.syncDirectory(dir);
    Set<Integer> different = new HashSet<>();
    for (int seed = 0; seed < 10; seed++) {
      byte[] one = read(strict.crashClone(50, seed), dir.resolve("f"));
      assertThat(read(strict.crashClone(50, seed), dir.resolve("f"))).isEqualTo(one);
      different.add(Arrays.hashCode(one));
    }
    assertThat(different).hasSizeGreaterThan(5);
  }
}

package dev.kv.tools.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

@DisabledOnOs(value = OS.WINDOWS, disabledReason = "files have no inode there")
class HeldLocksTest {
  @TempDir Path temp;

  private Path directory = Path.of("unset");
  private Path lock = Path.of("unset");

  @BeforeEach
  void createLock() throws IOException {
    directory = Files.createDirectory(temp.resolve("db")).toRealPath();
    lock = Files.createFile(directory.resolve("LOCK"));
  }

  /** Returns what is told of LOCK, of a list with a lock of its inode on a device. */
  private @Nullable Boolean isHeld(String device, String mounts) throws IOException {
    Path locks = temp.resolve("locks");
    Files.writeString(
        locks,
        "1: FLOCK  ADVISORY  WRITE 5 fe:01:1 0 EOF\n2: POSIX  ADVISORY  WRITE 7 "
            + device
            + ":"
            + Files.getAttribute(lock, "unix:ino")
            + " 0 EOF\n");
    Path list = Files.writeString(temp.resolve("mounts"), mounts);
    return new HeldLocks(locks, list).contain(lock);
  }

  private static String mount(String device, Object point) {
    return "25 1 " + device + " / " + point + " rw,relatime shared:1 - ext4 /dev/vda rw\n";
  }

  @Test
  void contain_withoutLists_isUnknownOrTellsOfEachDevice() throws IOException {
    Path locks = temp.resolve("locks");
    Path none = temp.resolve("none");
    assertThat(new HeldLocks(locks, none).contain(lock)).isNull();
    Files.createFile(locks);
    assertThat(new HeldLocks(locks, none).contain(lock)).isFalse();
    assertThat(isHeld("fe:00", "")).isTrue();
    assertThat(new HeldLocks(locks, none).contain(lock)).isTrue();
    Files.delete(lock);
    assertThat(new HeldLocks(locks, none).contain(lock)).isFalse();
  }

  @Test
  void contain_lockOfTheSameInodeOnAnotherFileSystem_isNotOfTheFile() throws IOException {
    String mounts =
        mount("254:0", "/") + mount("8:17", directory) + mount("0:300", temp.resolve("other"));
    assertThat(isHeld("08:11", mounts)).isTrue();
    assertThat(isHeld("00:12c", mounts)).isFalse();
    assertThat(isHeld("08:12", mounts)).isFalse();
    assertThat(isHeld("fe:00", mounts)).as("may be hidden by the other, or hide it").isTrue();
  }

  @Test
  void contain_mountsThatCannotBeCompared_rejectNothing() throws IOException {
    String unknown = mount("8:17", "/mnt/My\\040Disk") + mount("8:18", "/mnt/caf\u00e9");
    assertThat(isHeld("08:11", mount("254:0", "/") + unknown)).isTrue();
    assertThat(isHeld("08:12", mount("254:0", "/") + unknown)).isTrue();
    assertThat(isHeld("08:13", mount("254:0", "/") + unknown)).isFalse();
    assertThat(isHeld("08:13", unknown)).as("the root is not listed").isTrue();
    assertThat(isHeld("08:13", "something else\n")).isTrue();
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void ofSystem_openDatabase_isHeld() {
    try (DB db = DB.open(directory, Options.builder().createIfMissing(true).build())) {
      assertThat(DatabaseFiles.isInUse(directory)).isNotEqualTo(false);
    }
    assertThat(DatabaseFiles.isInUse(directory)).isNotEqualTo(true);
  }
}

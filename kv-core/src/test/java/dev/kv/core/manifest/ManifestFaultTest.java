package dev.kv.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.Sneaky;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBReadOnlyException;
import dev.kv.errors.OffHeapExhaustedException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Every operation on the disk fails once, without its effect or after it. */
final class ManifestFaultTest extends ManifestTestBase {

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void logAndApply_withAFault_isStickyAndLeavesOneStateOrTheOther(boolean afterItsEffect) {
    int surfaced = 0;
    try (VersionSet setUp = created()) {
      setUp.logAndApply(edit("+L1 5:10 a@1..c@2"));
    }
    String before = describeRecovered();
    for (int k = 0; k < 100; k++) {
      String after;
      try (VersionSet set = recovered(context())) {
        env.failAt(k, afterItsEffect);
        long number = 10 + k;
        String line = "+L0 " + number + ":10 a@1..c@2";
        try {
          set.logAndApply(edit(line));
          assertThat(k).isGreaterThanOrEqualTo(env.operations().size());
          break;
        } catch (DBIOException e) {
          surfaced++;
          assertThat(e).hasMessageContaining(RecordingEnv.FAULT);
          assertThat(describe(set)).as("fault %d", k).isEqualTo(before);
        }
        String failed = env.operations().get(k);
        if (failed.startsWith("create") || failed.startsWith("append")) {
          assertThat(set.isFailed()).as("nothing refers to the new MANIFEST").isFalse();
          set.logAndApply(edit(line));
          before = describe(set);
          assertThat(describeRecovered()).isEqualTo(before);
          continue;
        }
        int count = env.operations().size();
        assertThatThrownBy(() -> set.logAndApply(edit("+L0 9:1 a@1..b@1")))
            .isInstanceOf(DBReadOnlyException.class)
            .hasRootCauseMessage(RecordingEnv.FAULT + ": " + env.operations().get(k));
        assertThat(env.operations()).hasSize(count);
        assertThat(renameTried() && deleted("MANIFEST")).as("fault %d", k).isFalse();
        after = describeRecovered();
        if (after.equals(before)) {
          continue;
        }
        assertThat(renameTried()).isTrue();
        assertThat(after).contains(number + ":10['a'");
        before = after;
      }
    }
    env.failAt(-1, false);
    assertThat(surfaced).isGreaterThan(10);
    assertThat(describeRecovered()).contains("5:10['a'");
  }

  private boolean renameTried() {
    return env.operations().stream().anyMatch(o -> o.startsWith("rename"));
  }

  private boolean deleted(String prefix) {
    return env.operations().stream().anyMatch(o -> o.startsWith("delete " + prefix));
  }

  /** Not an error of the disk, but of the limit of descriptors. */
  @Test
  void logAndApply_withADirectoryThatCannotBeOpened_changesNothingAndMayBeTriedAgain() {
    created().close();
    boolean[] failing = new boolean[1];
    Env limited =
        new ForwardingEnv(files) {
          @Override
          public void syncDirectory(Path synced) throws IOException {
            if (failing[0]) {
              throw new FileSystemException(synced.toString(), null, "Too many open files");
            }
            super.syncDirectory(synced);
          }
        };
    try (VersionSet set = recovered(context(limited, MAX_FILE_SIZE, false))) {
      for (int number = 5; number < 8; number++) { // a new MANIFEST, and twice the same
        VersionEdit edit = edit("+L0 " + number + ":10 a@" + number + "..c@" + number);
        String before = describe(set);
        failing[0] = true;
        assertThatThrownBy(() -> set.logAndApply(edit))
            .isInstanceOf(DBIOException.class)
            .hasMessageContaining("Too many open files");
        failing[0] = false;
        assertThat(set.isFailed()).isFalse();
        assertThat(describe(set)).isEqualTo(before);
        set.logAndApply(edit);
        assertThat(describeRecovered()).isEqualTo(describe(set)).isNotEqualTo(before);
      }
    }
  }

  /** An Env in another language may throw one: it is not known which MANIFEST CURRENT names. */
  @Test
  void logAndApply_whoseRenameFailsWithACheckedException_isSticky() {
    created().close();
    Exception failure = new Exception("of an Env");
    Env failing =
        new ForwardingEnv(files) {
          @Override
          public void rename(Path from, Path to) {
            throw Sneaky.unchecked(failure);
          }
        };
    try (VersionSet set = recovered(context(failing, MAX_FILE_SIZE, false))) {
      assertThatThrownBy(() -> set.logAndApply(edit("+L0 5:10 a@1..c@2"))).isSameAs(failure);
      assertThat(set.isFailed()).isTrue();
      assertThatThrownBy(() -> set.logAndApply(edit("+L0 6:10 a@1..c@2")))
          .isInstanceOf(DBReadOnlyException.class)
          .hasCause(failure);
    }
  }

  /** Until CURRENT names the new MANIFEST, nothing depends on it. */
  @ParameterizedTest
  @ValueSource(strings = {"MANIFEST", ".dbtmp"})
  void logAndApply_withoutHeapForANewManifest_changesNothingAndMayBeTriedAgain(String file) {
    created().close();
    boolean[] failing = {true};
    Env failed =
        new ForwardingEnv(files) {
          @Override
          public WritableFile createWritable(Path path) throws IOException {
            return new ForwardingWritableFile(super.createWritable(path)) {
              @Override
              public void append(ByteBuffer bytes) throws IOException {
                if (failing[0] && path.toString().contains(file)) {
                  throw new OutOfMemoryError("simulated");
                }
                super.append(bytes);
              }
            };
          }
        };
    try (VersionSet set = recovered(context(failed, MAX_FILE_SIZE, false))) {
      VersionEdit edit = edit("+L0 5:10 a@1..c@2");
      String before = describe(set);
      TreeSet<String> names = names();
      assertThatThrownBy(() -> set.logAndApply(edit)).isInstanceOf(OutOfMemoryError.class);
      assertThat(set.isFailed()).isFalse();
      assertThat(describe(set)).isEqualTo(before);
      assertThat(names()).isEqualTo(names);
      failing[0] = false;
      set.logAndApply(edit);
      assertThat(describeRecovered()).isEqualTo(describe(set)).isNotEqualTo(before);
    }
  }

  @Test
  void logAndApply_withAFaultInAnOpenManifest_isSticky() {
    for (int k = 0; k < 3; k++) {
      for (boolean afterItsEffect : List.of(false, true)) {
        try (VersionSet set = k == 0 && !afterItsEffect ? created() : recovered(context())) {
          set.logAndApply(edit("-L6 1"));
          String before = describe(set);
          env.failAt(k, afterItsEffect);
          assertThatThrownBy(() -> set.logAndApply(edit("+L0 9:1 a@1..b@1")))
              .isInstanceOf(DBIOException.class);
          env.failAt(-1, false);
          assertThatThrownBy(() -> set.logAndApply(edit("-L6 1")))
              .isInstanceOf(DBReadOnlyException.class);
          assertThat(env.operations()).isEmpty();
          assertThat(describe(set)).isEqualTo(before);
        }
        try (VersionSet set = recovered(context())) {
          // Appended but not known to be durable: it may be there or not.
          set.logAndApply(edit("-L0 9"));
        }
      }
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void create_withAFault_leavesNothingOrAWholeDatabase(boolean afterItsEffect) {
    for (int k = 0; k < 100; k++) {
      names().forEach(name -> assertThat(directory.resolve(name).toFile().delete()).isTrue());
      env.failAt(k, afterItsEffect);
      try {
        NewDatabase.create(context());
        assertThat(k).isEqualTo(9);
        return;
      } catch (DBIOException e) {
        assertThat(e).hasMessageContaining(RecordingEnv.FAULT);
      }
      env.failAt(-1, false);
      if (names().contains("CURRENT")) {
        assertThat(describeRecovered()).contains("log 0");
      }
      NewDatabase.create(context());
      assertThat(describeRecovered()).contains("log 0");
    }
  }

  @Test
  void create_withoutMemoryForRecords_closesTheFileOnce() {
    AtomicInteger closed = new AtomicInteger();
    Env counting =
        new ForwardingEnv(files) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            return new ForwardingWritableFile(super.createWritable(file)) {
              @Override
              public void close() throws IOException {
                closed.incrementAndGet();
                super.close();
              }
            };
          }
        };
    ManifestContext context =
        new ManifestContext(
            counting,
            directory,
            VersionText.COMPARATOR,
            new OffHeapBudget(100),
            MAX_FILE_SIZE,
            false);
    assertThatThrownBy(() -> ManifestWriter.create(context, 5))
        .isInstanceOf(OffHeapExhaustedException.class);
    assertThat(closed.get()).isEqualTo(1);
  }
}

package dev.kv.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.env.FileNames;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/**
 * Power is lost before every operation on the disk, with more or less of what was not synced kept:
 * a recovery finds the last edit that was acknowledged, or the one under way.
 */
final class ManifestCrashTest {
  private static final Path DIRECTORY = Path.of("/database");
  private static final int[] PERCENT_KEPT = {0, 10, 50, 100};

  private final StrictMemEnv disk = new StrictMemEnv();
  private final RecordingEnv env = new RecordingEnv(disk);
  private String acknowledged = "";
  private String pending = "";
  private long crashes;

  private static ManifestContext context(Env env, long maxFileSize) {
    return new ManifestContext(
        env, DIRECTORY, VersionText.COMPARATOR, new OffHeapBudget(0), maxFileSize, true);
  }

  /** The sets that write replace their MANIFEST often, those after a crash go on with it. */
  private static VersionSet recovered(Env env, long maxFileSize) {
    VersionSet set = new VersionSet(context(env, maxFileSize), () -> {});
    set.recover(false);
    return set;
  }

  private void crash() {
    try {
      for (int percent : PERCENT_KEPT) {
        crash(disk.crashClone(percent, ++crashes), "crash " + crashes + " at " + percent + " %");
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private void crash(StrictMemEnv left, String place) throws IOException {
    if (acknowledged.isEmpty() && !left.exists(FileNames.current(DIRECTORY))) {
      return;
    }
    String found;
    try (VersionSet set = recovered(left, 1 << 20)) {
      found = ManifestTestBase.describe(set);
      assertThat(found).as(place).isIn(acknowledged, pending);
      // And the database goes on from there.
      set.logAndApply(VersionText.edit(List.of("+L6 900:1 y@1..z@1")));
    }
    try (VersionSet set = recovered(left.crashClone(0, crashes), 1 << 20)) {
      assertThat(set.current().fileCount(6)).as(place).isEqualTo(1);
      set.logAndApply(VersionText.edit(List.of("-L6 900")));
      assertThat(ManifestTestBase.describe(set)).as(place).isEqualTo(found);
    }
  }

  private void apply(VersionSet set, VersionEdit edit) {
    // What comes of it is known from a set that needs no disk.
    pending = "?";
    set.logAndApply(
        new VersionInstall() {
          @Override
          public VersionEdit prepare(Version current) {
            pending =
                VersionText.apply(current, edit).describe()
                    + acknowledged.substring(acknowledged.indexOf("log "));
            return edit;
          }
        });
    acknowledged = ManifestTestBase.describe(set);
    assertThat(acknowledged).isEqualTo(pending);
  }

  @Test
  void recover_afterLossOfPowerAnywhere_findsWhatWasAcknowledged() throws IOException {
    disk.createDurableDirectory(DIRECTORY);
    env.onEach(this::crash);
    pending = emptyWithLog(0);
    NewDatabase.create(context(env, 1));
    acknowledged = pending;
    try (VersionSet set = recovered(env, 1)) {
      long log = set.newFileNumber();
      env.onEach(() -> {});
      try (WritableFile file = env.createWritable(FileNames.log(DIRECTORY, log))) {
        file.sync();
      }
      env.syncDirectory(DIRECTORY);
      env.onEach(this::crash);
      pending = emptyWithLog(log);
      set.logAndApply(VersionEdit.builder().logNumber(log).build());
      acknowledged = pending;
      for (int i = 10; i < 24; i++) {
        VersionEdit.Builder edit =
            VersionText.edit(List.of("+L1 " + i + ":" + i + " k" + i + "@2..k" + i + "@1"))
                .toBuilder();
        apply(set, (i > 12 ? edit.deleteFile(1, i - 3) : edit).build());
      }
      assertThat(set.manifestNumber()).as("it was replaced in between").isGreaterThan(log + 1);
    }
    assertThat(crashes).isGreaterThan(150);
  }

  private static String emptyWithLog(long log) {
    return VersionText.version(List.of()).describe()
        + "log "
        + log
        + " last 0 pointers [-, -, -, -, -, -, -]";
  }
}

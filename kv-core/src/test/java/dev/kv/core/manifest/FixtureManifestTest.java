package dev.kv.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.DBComparator;
import dev.kv.core.env.FileEnv;
import dev.kv.core.env.FileNames;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The MANIFESTs that C++ LevelDB wrote. */
final class FixtureManifestTest {
  private static final DBComparator REVERSE =
      DBComparator.ofArrays("fixture.ReverseBytewise", (a, b) -> Arrays.compareUnsigned(b, a));

  private static Path directory(String name) {
    try {
      return Path.of(FixtureManifestTest.class.getResource("/fixtures/leveldb/" + name).toURI());
    } catch (URISyntaxException e) {
      throw new IllegalArgumentException(name, e);
    }
  }

  private static VersionSet recovered(String name, DBComparator order) {
    ManifestContext context =
        new ManifestContext(
            new FileEnv(),
            directory(name),
            new InternalKeyComparator(order),
            new OffHeapBudget(0),
            2 << 20,
            false);
    VersionSet set = new VersionSet(context, () -> {});
    set.recover(true);
    return set;
  }

  @ParameterizedTest
  @CsvSource({
    "bloom, 2, 8, 1500, 1",
    "extremes, 2, 4, 407, 1",
    "killed, 2, 3, 0, 0",
    "log-only, 2, 3, 0, 0",
    "plain, 2, 4, 600, 1",
    "restart1, 2, 6, 800, 2",
    "restart128, 2, 4, 800, 1",
    "reused-logs, 1, 0, 0, 0",
    "snapshot-versions, 2, 8, 650, 1",
    "zstd, 2, 8, 1000, 1",
    "snappy-levels, 2, 25, 6000, 7"
  })
  void recover_ofAFixture_findsItsTables(
      String name, long manifest, long log, long last, int tables) throws IOException {
    try (VersionSet set = recovered(name, DBComparator.bytewise())) {
      Version version = set.current();
      int count = 0;
      for (int level = 0; level < Levels.COUNT; level++) {
        for (FileMetadata file : version.files(level)) {
          Path path = FileNames.table(directory(name), file.number());
          assertThat(Files.size(path)).as(path.toString()).isEqualTo(file.size());
          count++;
        }
      }
      assertThat(set.newFileNumber()).isGreaterThan(set.manifestNumber());
      assertThat(log + " " + set.lastSequence() + " " + count)
          .isEqualTo(set.logNumber() + " " + last + " " + tables);
      assertThat(CurrentFile.read(new FileEnv(), directory(name)).number()).isEqualTo(manifest);
    }
  }

  @Test
  void recover_ofAnotherOrder_needsItsComparator() {
    assertThatThrownBy(() -> recovered("reverse-comparator", DBComparator.bytewise()))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("fixture.ReverseBytewise")
        .hasMessageContaining("leveldb.BytewiseComparator");
    try (VersionSet set = recovered("reverse-comparator", REVERSE)) {
      assertThat(set.logNumber()).isEqualTo(3);
    }
  }
}

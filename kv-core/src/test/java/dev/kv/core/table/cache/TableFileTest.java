package dev.kv.core.table.cache;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.db.LeakCheck;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.testing.FaultEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

@ExtendWith(LeakCheck.class)
class TableFileTest {
  @TempDir private Path directory;

  private Path write(int length) throws IOException {
    return Files.write(directory.resolve("000005.ldb"), new byte[length]);
  }

  @Test
  void open_whileTheQuotaLasts_mapsAndTheCloseGivesBack() throws IOException {
    Path path = write(1000);
    MappingQuota quota = new MappingQuota(1);
    TableFile mapped = TableFile.open(Env.fileSystem(), path, quota);
    TableFile unmapped = TableFile.open(Env.fileSystem(), path, quota);
    assertThat(mapped.mapped()).isNotNull();
    assertThat(unmapped.mapped()).isNull();
    assertThat(quota.bytes()).isEqualTo(1000);
    unmapped.close();
    assertThat(quota.take()).as("an unmapped file gives nothing back").isFalse();
    mapped.close();
    assertThat(quota.bytes()).isZero();
    assertThat(quota.take()).isTrue();
  }

  @Test
  void open_whatIsNotMapped_givesTheQuotaBack() throws IOException {
    Path empty = write(0);
    MappingQuota quota = new MappingQuota(1);
    TableFile file = TableFile.open(Env.fileSystem(), empty, quota);
    assertThat(quota.take()).as("an empty file has no mapping").isTrue();
    quota.release();
    file.close();
    assertThat(quota.take()).isTrue();
    assertThat(quota.take()).isFalse();
    quota.release();
    Path missing = directory.resolve("none");
    assertThatThrownBy(() -> TableFile.open(Env.fileSystem(), missing, quota))
        .isInstanceOf(NoSuchFileException.class);
    assertThat(quota.take()).as("a failed open keeps nothing").isTrue();
  }

  /** The extension finds a file that stays open or mapped. */
  @ParameterizedTest
  @ValueSource(ints = {0, 1})
  void open_thatFailsInTheMiddle_leavesNothing(int mappings) throws IOException {
    Path path = write(1000);
    OutOfMemoryError failure = new OutOfMemoryError("simulated");
    Env env =
        new ForwardingEnv(Env.fileSystem()) {
          @Override
          public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
            return new ForwardingRandomAccessFile(super.openRandomAccess(file, map)) {
              @Override
              public long size() {
                throw failure;
              }
            };
          }
        };
    MappingQuota quota = new MappingQuota(mappings);
    assertThatThrownBy(() -> TableFile.open(env, path, quota)).isSameAs(failure);
    assertThat(quota.bytes()).isZero();
    assertThat(quota.take()).isEqualTo(mappings > 0);
  }

  @Test
  void requireInside_blocksAtTheEnd_acceptsTheLastAndNoFurther() throws IOException {
    TableFile file = StoredBlocks.file(new byte[1000]);
    file.requireInside(0, 995, 0);
    file.requireInside(995, 0, 0);
    file.requireInside(500, 495, 0);
    long[][] outside = {
      {0, 996}, {500, 496}, {996, 0}, {-1, 1}, {0, -1}, {Long.MAX_VALUE, 1}, {1, Long.MAX_VALUE}
    };
    for (long[] block : outside) {
      assertThatThrownBy(() -> file.requireInside(block[0], block[1], 77))
          .as(block[1] + " at " + block[0])
          .isInstanceOfSatisfying(
              CorruptionException.class, e -> assertThat(e.offset()).isEqualTo(77))
          .hasMessageContaining("a block of " + block[1] + " bytes at " + block[0]);
    }
    assertThat(file.checkedSize(new BlockHandle(10, 20), 0)).isEqualTo(20);
  }

  @Test
  void read_atAPosition_copiesOrNamesWhatFailed() throws IOException {
    byte[] bytes = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    Path path = Files.write(directory.resolve("000005.ldb"), bytes);
    FaultEnv env = new FaultEnv(Env.fileSystem());
    TableFile file = TableFile.open(env, path, new MappingQuota(0));
    ByteBuffer into = ByteBuffer.allocateDirect(8);
    file.read(2, into, 1, 3);
    assertThat(into.get(0)).isZero();
    assertThat(into.get(1)).isEqualTo((byte) 3);
    assertThat(into.get(3)).isEqualTo((byte) 5);
    assertThatThrownBy(() -> file.read(8, into, 0, 3))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("ends inside a block");
    env.fail(FaultEnv.Fault.ERROR, 1, operation -> operation.kind() == FaultEnv.Kind.READ);
    assertThatThrownBy(() -> file.read(2, into, 0, 3))
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("cannot read 3 bytes at 2 of " + path);
    file.close();
  }

  @Test
  void ofSize_theRestOfTheFileIsNotOfTheTable() {
    TableFile file = StoredBlocks.file(new byte[1000]);
    TableFile shorter = file.ofSize(500);
    assertThat(shorter.size()).isEqualTo(500);
    assertThatThrownBy(() -> shorter.requireInside(490, 100, 0))
        .isInstanceOf(CorruptionException.class);
    assertThat(file.ofSize(1000).size()).isEqualTo(1000);
    assertThatThrownBy(() -> file.ofSize(1001))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("has 1000 bytes and not the 1001 of the MANIFEST");
  }
}

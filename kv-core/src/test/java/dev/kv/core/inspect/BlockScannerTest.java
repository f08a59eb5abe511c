package dev.kv.core.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.core.inspect.TableContents.Handle;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.env.Env;
import dev.kv.options.CompressionType;
import dev.kv.table.TableWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

class BlockScannerTest {
  private static final Path FIXTURES = Path.of("src/test/resources/fixtures/leveldb");
  private static final long SEED = 20_261_122;

  @TempDir Path temp;

  /** Returns the data blocks that the index names. */
  private static List<Handle> indexed(Path file) throws IOException {
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      return table.readHandles(table.footer().index()).stream()
          .map(TableContents.Named::handle)
          .toList();
    }
  }

  private static List<TableContents.Found> search(Path file) throws IOException {
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      return table.findBlocks();
    }
  }

  private static List<Handle> data(List<TableContents.Found> blocks) {
    return blocks.stream()
        .filter(block -> block.role() == TableContents.Role.DATA)
        .map(TableContents.Found::handle)
        .toList();
  }

  private Path write(byte[] bytes) throws IOException {
    return Files.write(temp.resolve("000009.ldb"), bytes);
  }

  private Path table(CompressionType compression, int entries, int valueSize) throws IOException {
    Path file = Files.createTempFile(temp, "table", ".ldb");
    Files.delete(file);
    Random random = new Random(SEED);
    Options options = Options.builder().compression(compression).build();
    try (TableWriter writer = TableWriter.create(file, options)) {
      for (int i = 0; i < entries; i++) {
        byte[] value = new byte[valueSize];
        random.nextBytes(value);
        Arrays.fill(value, 0, valueSize / 2, (byte) 'v');
        writer.put(String.format(Locale.ROOT, "%08d", i).getBytes(), value);
      }
      writer.finish();
    }
    return file;
  }

  @ParameterizedTest
  @ValueSource(strings = {"plain/000005.ldb", "zstd/000011.ldb", "bloom/000011.ldb"})
  void wholeTable_ofCpp_findsEveryBlockAndItsRole(String name) throws IOException {
    Path file = FIXTURES.resolve(name);
    List<TableContents.Found> found = search(file);
    assertThat(data(found)).isEqualTo(indexed(file));
    try (TableContents table = new TableContents(Env.fileSystem(), file)) {
      TableContents.Roots footer = table.footer();
      assertThat(found)
          .contains(
              TableContents.Found.of(footer.index(), TableContents.Role.INDEX),
              TableContents.Found.of(footer.metaindex(), TableContents.Role.METAINDEX));
      for (TableContents.Named filter : table.readHandles(footer.metaindex())) {
        assertThat(found)
            .contains(TableContents.Found.of(filter.handle(), TableContents.Role.META));
      }
      assertThat(found.get(found.size() - 1).end())
          .isEqualTo(table.size() - TableContents.FOOTER_BYTES);
    }
  }

  @ParameterizedTest
  @EnumSource(CompressionType.class)
  void damagedBlocks_anyBit_costThemAlone(CompressionType compression) throws IOException {
    Path whole = table(compression, 2000, 100);
    List<Handle> blocks = indexed(whole);
    byte[] bytes = Files.readAllBytes(whole);
    Random random = new Random(SEED);
    for (int round = 0; round < 20; round++) {
      byte[] damaged = Arrays.copyOf(bytes, bytes.length - random.nextInt(60)); // footer, index too
      List<Handle> expected = new ArrayList<>(blocks);
      for (int hit = 0; hit < 3; hit++) {
        Handle block = blocks.get(random.nextInt(blocks.size()));
        int at = (int) (block.offset() + random.nextLong(block.size() + BlockWriter.TRAILER));
        damaged[at] ^= (byte) (1 << random.nextInt(Byte.SIZE));
        if (damaged[at] != bytes[at]) {
          expected.remove(block);
        } else {
          expected = new ArrayList<>(blocks);
          hit = 3;
          damaged = bytes.clone();
        }
      }
      assertThat(data(search(write(damaged))))
          .as("seed %d, round %d", SEED, round)
          .isEqualTo(expected);
    }
  }

  @Test
  void garbageBetween_longerThanAWindow_isPassedOver() throws IOException {
    Path whole = table(CompressionType.SNAPPY, 1000, 100);
    List<Handle> blocks = indexed(whole);
    byte[] bytes = Files.readAllBytes(whole);
    int cut = (int) blocks.get(5).offset() + 7;
    for (boolean zeros : new boolean[] {true, false}) {
      byte[] garbage = new byte[1_500_000];
      if (!zeros) {
        new Random(SEED).nextBytes(garbage);
      }
      byte[] spread = new byte[bytes.length + garbage.length];
      System.arraycopy(bytes, 0, spread, 0, cut);
      System.arraycopy(garbage, 0, spread, cut, garbage.length);
      System.arraycopy(bytes, cut, spread, cut + garbage.length, bytes.length - cut);
      List<Handle> expected = new ArrayList<>(blocks.subList(0, 5));
      for (Handle behind : blocks.subList(6, blocks.size())) {
        expected.add(new Handle(behind.offset() + garbage.length, behind.size()));
      }
      assertThat(data(search(write(spread)))).as("zeros: %s", zeros).isEqualTo(expected);
    }
  }

  @Test
  void largeBlocks_alsoBehindDamage_areFound() throws IOException {
    Path whole = table(CompressionType.NONE, 4, 400_000);
    List<Handle> blocks = indexed(whole);
    assertThat(blocks).hasSize(4);
    byte[] bytes = Files.readAllBytes(whole);
    bytes[(int) blocks.get(0).offset() + 100] ^= 1;
    assertThat(data(search(write(bytes)))).isEqualTo(blocks.subList(1, 4));
    Path huge = table(CompressionType.NONE, 2, 3 << 20);
    assertThat(data(search(huge))).isEqualTo(indexed(huge));
  }

  @Test
  void noTable_ofAnyLength_hasNoBlocks() throws IOException {
    Random random = new Random(SEED);
    for (int length : new int[] {0, 1, 4, 5, 6, 48, 4096, 70_000}) {
      byte[] bytes = new byte[length];
      random.nextBytes(bytes);
      assertThat(search(write(bytes))).as("seed %d, %d bytes", SEED, length).isEmpty();
    }
  }
}

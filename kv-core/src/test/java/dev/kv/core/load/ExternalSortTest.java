package dev.kv.core.load;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.bytes.DBComparator;
import dev.kv.core.CutFile;
import dev.kv.core.CutsMappedFile;
import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.ObsoleteFiles;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ExternalSortTest {
  private static final long SEED = 20_261_122;
  private static final Path DIRECTORY = Path.of("/sort/db");

  private final Env env = Env.inMemory();
  private DatabaseContext context;
  private RunFiles files;

  @BeforeEach
  void open() {
    open(DBComparator.bytewise());
  }

  private void open(DBComparator order) {
    Options options = Options.builder().createIfMissing(true).env(env).comparator(order).build();
    DB.open(DIRECTORY, options).close();
    context = new DatabaseContext(DIRECTORY, options);
    VersionSet versions = new VersionSet(context.manifestContext(), () -> {});
    versions.recover(true);
    ObsoleteFiles obsolete =
        new ObsoleteFiles(context, versions, new ErrorHandler(context.events()), null);
    files = new RunFiles(context, obsolete);
    versions.close();
  }

  @AfterEach
  void close() throws Exception {
    context.close();
    assertThat(context.budget().used()).isZero();
    assertThat(runs()).isEmpty();
  }

  private List<String> runs() throws Exception {
    return env.list(DIRECTORY).stream().filter(name -> name.endsWith(".dbtmp")).toList();
  }

  private static byte[] b(String text) {
    return text.getBytes(StandardCharsets.ISO_8859_1);
  }

  @Test
  void add_entryOf2GiB_isRefusedAndTheSortGoesOn(@TempDir Path temp) throws Exception {
    try (FileChannel channel =
            FileChannel.open(
                temp.resolve("large"),
                StandardOpenOption.CREATE,
                StandardOpenOption.READ,
                StandardOpenOption.WRITE,
                StandardOpenOption.SPARSE);
        ExternalSort sort =
            new ExternalSort(context.comparator(), files, 1 << 20, context.budget())) {
      ByteBuffer large = channel.map(FileChannel.MapMode.READ_WRITE, 0, Integer.MAX_VALUE);
      assertThatThrownBy(() -> sort.add(ByteBuffer.wrap(b("a")), large))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2 GiB is too much");
      sort.add(ByteBuffer.wrap(b("a")), ByteBuffer.wrap(b("1")));
      assertThat(sorted(sort)).hasSize(1);
    }
  }

  /** Returns the entries of a sort, of each key the last one, and checks the order. */
  private Map<String, String> sorted(ExternalSort sort) {
    Map<String, String> found = new TreeMap<>();
    String before = null;
    try (ForwardIterator entries = sort.sorted()) {
      for (entries.seekToFirst(); entries.isValid(); entries.next()) {
        byte[] key =
            InternalKey.copy(entries.keyBuffer(), entries.keyOffset(), entries.keyLength());
        byte[] value =
            InternalKey.copy(entries.valueBuffer(), entries.valueOffset(), entries.valueLength());
        String user = new String(InternalKey.userKey(key), StandardCharsets.ISO_8859_1);
        if (before != null) {
          assertThat(user).isGreaterThanOrEqualTo(before);
        }
        before = user;
        found.putIfAbsent(user, new String(value, StandardCharsets.ISO_8859_1));
      }
    }
    return found;
  }

  /** With 8 KiB of memory there are more than 64 runs, and with 100 KiB some; 1 GiB needs none. */
  @ParameterizedTest
  @CsvSource({"8192, 5000", "100000, 5000", "1073741824, 5000", "8192, 1", "8192, 0"})
  void entries_inAnyOrder_comeOutSortedWithTheLastOfEachKey(int memory, int count)
      throws Exception {
    Random random = new Random(SEED);
    Map<String, String> model = new TreeMap<>();
    try (ExternalSort sort =
        new ExternalSort(context.comparator(), files, memory, context.budget())) {
      for (int i = 0; i < count; i++) {
        String key = "key" + random.nextInt(3000);
        String value = "v".repeat(random.nextInt(300)) + i;
        model.put(key, value);
        if (random.nextBoolean()) {
          sort.add(ByteBuffer.wrap(b(key)), ByteBuffer.wrap(b(value)));
        } else {
          sort.add(ByteBuffer.wrap(b("x" + key)).position(1), ByteBuffer.wrap(b(value)));
        }
      }
      if (memory == 8192 && count > 1) {
        assertThat(runs()).hasSizeBetween(1, 128);
      }
      assertThat(sorted(sort)).as("seed %d", SEED).isEqualTo(model);
    }
  }

  @Test
  void memory_ofASort_isBounded() {
    OffHeapBudget budget = context.budget();
    long most = 0;
    try (ExternalSort sort =
        new ExternalSort(context.comparator(), files, 1 << 20, context.budget())) {
      byte[] value = new byte[1000];
      Random random = new Random(SEED);
      for (int i = 0; i < 20_000; i++) {
        random.nextBytes(value);
        sort.add(ByteBuffer.wrap(b("key" + random.nextInt())), ByteBuffer.wrap(value));
        most = Math.max(most, budget.used());
      }
    }
    assertThat(most).isLessThan(3 << 20);
  }

  @Test
  @CutsMappedFile
  void add_ofAMappedFileThatIsCut_isRefused(@TempDir Path temp) throws IOException {
    ByteBuffer mapped = CutFile.map(temp.resolve("mapped"));
    try (ExternalSort sort =
        new ExternalSort(context.comparator(), files, 8192, context.budget())) {
      ByteBuffer other = ByteBuffer.wrap(b("other"));
      for (int round = 0; round < 200; round++) {
        for (ByteBuffer cut : List.of(mapped, mapped.slice(30_000, 1))) {
          assertThatThrownBy(() -> sort.add(cut, other))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("cut short");
          assertThatThrownBy(() -> sort.add(other, cut))
              .isInstanceOf(IllegalStateException.class)
              .hasMessageContaining("cut short");
        }
      }
      sort.add(mapped.slice(0, 10), mapped.slice(0, 3_000));
      assertThat(sorted(sort)).hasSize(1);
    }
  }

  @Test
  void entry_largerThanTheMemory_isARunOfItsOwn() {
    try (ExternalSort sort =
        new ExternalSort(context.comparator(), files, 8192, context.budget())) {
      List<String> keys = new ArrayList<>(List.of("c", "a", "b"));
      for (String key : keys) {
        sort.add(ByteBuffer.wrap(b(key)), ByteBuffer.allocate(100_000));
      }
      assertThat(sorted(sort).keySet()).containsExactly("a", "b", "c");
    }
  }
}

package dev.kv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Entry;
import dev.kv.bytes.Range;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.env.Env;
import dev.kv.env.EnvProvider;
import dev.kv.env.ForwardingEnv;
import dev.kv.event.ProgressListener;
import dev.kv.load.BulkLoadOptions;
import dev.kv.options.LogRetention;
import dev.kv.options.TableSuffix;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class OptionsTest {
  private static Options.Builder builder() {
    return Options.builder();
  }

  @Test
  void builder_valuesOutOfRange_areClippedAsLevelDbDoes() {
    assertThat(builder().writeBufferSize(1).build().writeBufferSize()).isEqualTo(64 << 10);
    assertThat(builder().writeBufferSize(Integer.MAX_VALUE).build().writeBufferSize())
        .isEqualTo(1 << 30);
    assertThat(builder().maxOpenFiles(10).build().maxOpenFiles()).isEqualTo(74);
    assertThat(builder().maxOpenFiles(100_000).build().maxOpenFiles()).isEqualTo(50_000);
    assertThat(builder().blockSize(0).build().blockSize()).isEqualTo(1 << 10);
    assertThat(builder().maxFileSize(1).build().maxFileSize()).isEqualTo(1 << 20);
    assertThat(builder().zstdCompressionLevel(-100).build().zstdCompressionLevel()).isEqualTo(-5);
  }

  @Test
  void byteSizes_aboveTheIntegers_areClippedAndReported() {
    long size = 64L << 30; // as an int it is 0
    Options options = builder().writeBufferSize(size).maxFileSize(size).blockSize(size).build();
    assertThat(options.writeBufferSize()).isEqualTo(1L << 30);
    assertThat(options.maxFileSize()).isEqualTo(1L << 30);
    assertThat(options.blockSize()).isEqualTo(4L << 20);
    assertThat(options.clippedValues())
        .containsExactly(
            new Options.ClippedValue("writeBufferSize", size, 1L << 30),
            new Options.ClippedValue("maxFileSize", size, 1L << 30),
            new Options.ClippedValue("blockSize", size, 4L << 20));
    assertThat(builder().writeBufferSize(64L << 20).build())
        .isEqualTo(builder().writeBufferSize(64 << 20).build());
  }

  @Test
  void builder_nonsense_isRefused() {
    assertThatThrownBy(() -> builder().writeBufferSize(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("writeBufferSize is -1");
    assertThatThrownBy(() -> builder().blockRestartInterval(0))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().blockCacheSize(-1))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().memory(m -> m.offHeapLimit(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("offHeapLimit is -1");
    assertThatThrownBy(() -> builder().memory(m -> m.maxMappedTables(-2)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().compaction(c -> c.maxBackground(0)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> builder().compaction(c -> c.bytesPerSecond(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    for (Duration time : List.of(Duration.ofNanos(-1), Duration.ofSeconds(Long.MAX_VALUE))) {
      assertThatThrownBy(() -> builder().monitoring(m -> m.slowSync(time)))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("slowSync");
    }
    assertThat(Options.DEFAULT.monitoring().slowSync()).isEqualTo(Duration.ofMillis(100));
    assertThatThrownBy(() -> builder().tables(t -> t.suffix(null)))
        .isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder().memory(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder().comparator(null)).isInstanceOf(NullPointerException.class);
    assertThatThrownBy(() -> builder().compression(null)).isInstanceOf(NullPointerException.class);
  }

  @Test
  void toBuilder_changesOneValueAndKeepsTheRest() {
    Env env = new ForwardingEnv(unusedEnv()) {};
    Options options = builder().env(env).createIfMissing(true).maxOpenFiles(100).build();
    Options changed = options.toBuilder().reuseLogs(true).build();
    assertThat(changed.reuseLogs()).isTrue();
    assertThat(changed.createIfMissing()).isTrue();
    assertThat(changed.maxOpenFiles()).isEqualTo(100);
    assertThat(changed.env()).isSameAs(env);
    assertThat(options.reuseLogs()).isFalse();
  }

  @Test
  void group_changedTwice_keepsBothChangesAndTheOptionsThatItCameFrom() {
    Options options = builder().memory(m -> m.offHeapLimit(1)).build();
    Options changed = options.toBuilder().memory(m -> m.maxMappedTables(2)).build();
    assertThat(changed.memory()).hasToString("Memory{offHeapLimit=1, maxMappedTables=2}");
    assertThat(options.memory()).hasToString("Memory{offHeapLimit=1, maxMappedTables=-1}");
    assertThat(changed).isNotEqualTo(options);
    Options.Builder reused = options.toBuilder();
    Options before = reused.build();
    reused.reuseLogs(true).writeBufferSize(1);
    assertThat(before).isEqualTo(options);
    assertThat(before.clippedValues()).isEmpty();
  }

  @Test
  void group_setByStatements_keepsEachOfThem() {
    Options options =
        builder()
            .compaction(
                c -> {
                  c.maxBackground(3);
                  c.bytesPerSecond(4);
                })
            .build();
    assertThat(options.compaction())
        .hasToString(
            "Compaction{filter=null, maxBackground=3, bytesPerSecond=4, seekTriggered=true}");
  }

  @Test
  void group_whoseBuilderIsKept_doesNotChange() {
    List<Options.Memory.Builder> kept = new ArrayList<>();
    Options.Builder builder = builder().memory(kept::add);
    kept.get(0).offHeapLimit(1);
    assertThat(builder.build()).isEqualTo(Options.DEFAULT);
    assertThatThrownBy(() -> builder.memory(m -> m.maxMappedTables(1).offHeapLimit(-1)))
        .isInstanceOf(IllegalArgumentException.class);
    assertThat(builder.build()).isEqualTo(Options.DEFAULT);
  }

  @Test
  void setters_changeTheirOwnValueOnly() {
    assertThat(Options.DEFAULT.compaction())
        .hasToString(
            "Compaction{filter=null, maxBackground=2, bytesPerSecond=0, seekTriggered=true}");
    Options options =
        builder()
            .compaction(c -> c.maxBackground(3).bytesPerSecond(4).seekTriggered(false))
            .tables(t -> t.nativeSnappy(false).suffix(TableSuffix.SST))
            .monitoring(m -> m.slowSync(Duration.ofMillis(1)).infoLog(true).trackIterators(true))
            .build();
    assertThat(options.compaction())
        .hasToString(
            "Compaction{filter=null, maxBackground=3, bytesPerSecond=4, seekTriggered=false}");
    assertThat(options.tables())
        .hasToString("Tables{suffix=SST, nativeSnappy=false, readInPlace=false}");
    assertThat(builder().tables(t -> t.readInPlace(true)).build().tables())
        .hasToString("Tables{suffix=LDB, nativeSnappy=true, readInPlace=true}");
    assertThat(options.monitoring())
        .hasToString(
            "Monitoring{listener=null, slowSync=PT0.001S, infoLog=true, trackIterators=true}");
  }

  @Test
  void groups_withTheSameValues_areEqual() {
    Options.Memory memory = builder().memory(m -> m.offHeapLimit(1)).build().memory();
    Options.Builder other =
        builder().memory(m -> m.maxMappedTables(7).offHeapLimit(1).maxMappedTables(-1));
    assertThat(memory)
        .isEqualTo(other.build().memory())
        .hasSameHashCodeAs(other.build().memory())
        .isNotEqualTo(Options.DEFAULT.memory());
    assertThat(Options.DEFAULT.memory()).isNotEqualTo(Options.DEFAULT.compaction());
  }

  @Test
  void option_withALimit_clipsOrRefusesAtTheLimitOnly() {
    assertThat(builder().writeBufferSize(64 << 10).writeBufferSize(1 << 30).build())
        .satisfies(o -> assertThat(o.clippedValues()).isEmpty());
    assertThat(builder().zstdCompressionLevel(-5).build().zstdCompressionLevel()).isEqualTo(-5);
    assertThat(builder().zstdCompressionLevel(23).build().clippedValues())
        .containsExactly(new Options.ClippedValue("zstdCompressionLevel", 23, 22));
    assertThat(builder().blockRestartInterval(1).build().blockRestartInterval()).isEqualTo(1);
    Options one = builder().compaction(c -> c.maxBackground(1)).build();
    assertThat(one.compaction().maxBackground()).isEqualTo(1);
    assertThatThrownBy(() -> builder().compaction(c -> c.maxBackground(0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("maxBackground is 0, must be at least 1");
    assertThatThrownBy(() -> builder().logRetention(null).comparator(null))
        .isInstanceOf(NullPointerException.class)
        .hasMessage("comparator");
  }

  private static Env unusedEnv() {
    return (Env)
        java.lang.reflect.Proxy.newProxyInstance(
            Env.class.getClassLoader(),
            new Class<?>[] {Env.class},
            (proxy, method, arguments) -> {
              throw new AssertionError("not to be called");
            });
  }

  @Test
  void readOptions_arrays_areCopied() {
    byte[] bound = {1};
    ReadOptions options = ReadOptions.builder().lowerBound(bound).upperBound(bound).build();
    bound[0] = 2;
    assertThat(options.lowerBound()).containsExactly(1);
    options.upperBound()[0] = 3;
    assertThat(options.upperBound()).containsExactly(1);
    assertThat(options.toBuilder().fillCache(false).build().lowerBound()).containsExactly(1);
  }

  @Test
  void clippedValues_tellWhatWasAskedForAndWhatIsUsed() {
    Options options = builder().writeBufferSize(1).maxOpenFiles(100).build();
    assertThat(options.clippedValues())
        .containsExactly(new Options.ClippedValue("writeBufferSize", 1, 64 << 10));
    assertThat(options.toBuilder().build().clippedValues()).isEqualTo(options.clippedValues());
    assertThat(options.toBuilder().writeBufferSize(1 << 20).build().clippedValues()).isEmpty();
    assertThat(Options.DEFAULT.clippedValues()).isEmpty();
  }

  @Test
  void clippedValues_ofAGroup_areThere() {
    Options options = builder().compaction(c -> c.maxBackground(Integer.MAX_VALUE)).build();
    assertThat(options.compaction().maxBackground()).isEqualTo(64);
    assertThat(options.clippedValues())
        .containsExactly(new Options.ClippedValue("maxBackground", Integer.MAX_VALUE, 64));
    assertThatThrownBy(() -> SharedResources.builder().compactionThreads(1025))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("compactionThreads is 1025, must be at most 1024");
  }

  /** The engine is not on the class path of these tests: each call says so. */
  @Test
  void instances_withoutAnEngine_sayWhatIsMissing() {
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(DBFactory::instance)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("no engine: add kv-core to the class path");
      assertThatThrownBy(EnvProvider::instance)
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("no engine: add kv-core to the class path");
    }
  }

  @Test
  void changePosition_inALocaleWithOtherDigits_hasTheSameText() {
    Locale before = Locale.getDefault();
    Locale.setDefault(Locale.forLanguageTag("ar-EG"));
    try {
      assertThat(new ChangePosition(0x8f14e45fceea167aL, 42)).hasToString("8f14e45fceea167a-42");
    } finally {
      Locale.setDefault(before);
    }
  }

  @Test
  void options_withTheSameValues_areEqual() {
    Options options = builder().blockSize(8192).createIfMissing(true).build();
    assertThat(options)
        .isEqualTo(builder().createIfMissing(true).blockSize(8192).build())
        .hasSameHashCodeAs(options.toBuilder().build())
        .isNotEqualTo(options.toBuilder().blockSize(4096).build())
        .isNotEqualTo(Options.DEFAULT);
  }

  @Test
  void options_asText_nameEveryValue() throws ReflectiveOperationException {
    String text = builder().writeBufferSize(1 << 20).build().toString();
    assertThat(text)
        .startsWith("Options{createIfMissing=false, ")
        .contains("writeBufferSize=1048576", "comparator=leveldb.BytewiseComparator", "env=null");
    for (var method : Options.Builder.class.getMethods()) {
      if (method.getReturnType() == Options.Builder.class) {
        assertThat(text).contains(method.getName() + "=");
      }
    }
  }

  @Test
  void readOptions_asText_showBoundsAndPrefix() {
    assertThat(ReadOptions.DEFAULT).hasToString("ReadOptions[]");
    assertThat(
            ReadOptions.builder()
                .lowerBound(new byte[] {'a', 0})
                .upperBound("b".getBytes())
                .prefix("p".getBytes())
                .descending(true)
                .fillCache(false)
                .build())
        .hasToString(
            "ReadOptions[fillCache=false, descending=true, lowerBound='a\\x00', upperBound='b',"
                + " prefix='p']");
  }

  @Test
  void readOptions_withWhatOnlyAScanTakes_sayIt() {
    assertThat(ReadOptions.DEFAULT.isScanOnly()).isFalse();
    assertThat(ReadOptions.builder().fillCache(false).build().isScanOnly()).isFalse();
    assertThat(ReadOptions.withPrefix(new byte[0]).isScanOnly()).isTrue();
    assertThat(ReadOptions.builder().descending(true).build().isScanOnly()).isTrue();
  }

  @Test
  void readOptions_withTheSameValues_areEqual() {
    ReadOptions options =
        ReadOptions.builder().lowerBound(new byte[] {1}).upperBound(new byte[] {2}).build();
    assertThat(options)
        .isEqualTo(options.toBuilder().build())
        .hasSameHashCodeAs(options.toBuilder().build())
        .isNotEqualTo(options.toBuilder().verifyChecksums(false).build())
        .isNotEqualTo(options.toBuilder().fillCache(false).build())
        .isNotEqualTo(options.toBuilder().descending(true).build())
        .isNotEqualTo(options.toBuilder().keysOnly(true).build())
        .isNotEqualTo(options.toBuilder().lowerBound(new byte[] {2}).build())
        .isNotEqualTo(options.toBuilder().upperBound(null).build())
        .isNotEqualTo(options.toBuilder().prefix(new byte[0]).build());
    assertThat(ReadOptions.builder().build()).isEqualTo(ReadOptions.DEFAULT);
  }

  @Test
  void writeOptionsAndChangeOptions_withTheSameValues_areEqualAndNameThem() {
    WriteOptions synced = WriteOptions.builder().sync(true).build();
    assertThat(synced)
        .isEqualTo(WriteOptions.SYNC)
        .hasSameHashCodeAs(WriteOptions.SYNC)
        .isEqualTo(synced.toBuilder().build())
        .isNotEqualTo(synced.toBuilder().sync(false).build())
        .hasToString("WriteOptions[sync=true]");
    assertThat(WriteOptions.builder().build()).isEqualTo(WriteOptions.DEFAULT);
    ChangeOptions unsynced = ChangeOptions.builder().unsynced(true).build();
    assertThat(unsynced)
        .isEqualTo(ChangeOptions.UNSYNCED)
        .hasSameHashCodeAs(ChangeOptions.UNSYNCED)
        .isEqualTo(unsynced.toBuilder().build())
        .isNotEqualTo(unsynced.toBuilder().unsynced(false).build())
        .hasToString("ChangeOptions[unsynced=true]");
    assertThat(ChangeOptions.builder().build()).isEqualTo(ChangeOptions.DEFAULT);
  }

  @Test
  void logRetention_withoutABound_hasTheLargest() {
    LogRetention none = LogRetention.builder().build();
    assertThat(none.bytes()).isEqualTo(Long.MAX_VALUE);
    assertThat(none.age()).isEqualTo(Duration.ofMillis(Long.MAX_VALUE));
    LogRetention both = none.toBuilder().bytes(1).age(Duration.ofDays(2)).build();
    assertThat(both)
        .isEqualTo(both.toBuilder().build())
        .hasSameHashCodeAs(both.toBuilder().build())
        .isNotEqualTo(LogRetention.ofBytes(1))
        .isNotEqualTo(both.toBuilder().bytes(2).build())
        .hasToString("LogRetention[bytes=1, age=PT48H]");
    assertThat(LogRetention.ofBytes(1)).isEqualTo(LogRetention.builder().bytes(1).build());
    assertThatThrownBy(() -> LogRetention.ofBytes(-1))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("bytes is negative: -1");
    assertThatThrownBy(() -> LogRetention.builder().age(Duration.ofNanos(-1)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("age is negative: PT-0.000000001S");
    assertThatThrownBy(() -> LogRetention.builder().age(null))
        .isInstanceOf(NullPointerException.class);
  }

  @Test
  void sharedSettings_outOfRange_areRefused() {
    SharedResources.Settings settings =
        SharedResources.builder().compactionThreads(1024).settings();
    assertThat(settings)
        .hasToString(
            "Settings{blockCacheSize=8388608, offHeapLimit=0, writeBufferLimit=0,"
                + " compactionThreads=1024, compactionBytesPerSecond=0}")
        .isEqualTo(SharedResources.builder().compactionThreads(1024).settings())
        .isNotEqualTo(SharedResources.builder().settings());
    SharedResources.Builder builder = SharedResources.builder();
    assertThatThrownBy(() -> builder.compactionThreads(0))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("compactionThreads is 0, must be at least 1");
    for (ThrowingCallable negative :
        List.<ThrowingCallable>of(
            () -> builder.blockCacheSize(-1),
            () -> builder.offHeapLimit(-1),
            () -> builder.writeBufferLimit(-1),
            () -> builder.compactionBytesPerSecond(-1))) {
      assertThatThrownBy(negative).isInstanceOf(IllegalArgumentException.class);
    }
    assertThat(builder.settings()).isEqualTo(SharedResources.builder().settings());
  }

  @Test
  void bulkLoadOptions_withTheSameValues_areEqualAndNameThem() {
    ProgressListener progress = (done, total) -> {};
    BulkLoadOptions options = BulkLoadOptions.builder().sorted(false).progress(progress).build();
    assertThat(options)
        .isEqualTo(BulkLoadOptions.builder().progress(progress).sorted(false).build())
        .hasSameHashCodeAs(BulkLoadOptions.builder().sorted(false).progress(progress).build())
        .isNotEqualTo(BulkLoadOptions.builder().progress(progress).build())
        .isNotEqualTo(BulkLoadOptions.builder().sorted(false).build())
        .isNotEqualTo(
            BulkLoadOptions.builder().sorted(false).progress(progress).sortMemory(1 << 20).build());
    assertThat(BulkLoadOptions.builder().build())
        .isEqualTo(BulkLoadOptions.DEFAULT)
        .hasToString("BulkLoadOptions{sorted=true, sortMemory=67108864, progress=none}");
  }

  @Test
  void range_ofTheSameKeys_isEqualAndPrintsThem() {
    Range range = new Range(new byte[] {'a', 0}, new byte[] {'b'});
    assertThat(range)
        .hasToString("Range[from='a\\x00', to='b']")
        .isEqualTo(new Range(new byte[] {'a', 0}, new byte[] {'b'}))
        .hasSameHashCodeAs(new Range(new byte[] {'a', 0}, new byte[] {'b'}))
        .isNotEqualTo(new Range(new byte[] {'a'}, new byte[] {'b'}))
        .isNotEqualTo(new Range(new byte[] {'a', 0}, new byte[] {'c'}))
        .isNotEqualTo(new Range(new byte[] {'a', 0}, null));
    assertThat(new Range(null, null))
        .hasToString("Range[from=null, to=null]")
        .isEqualTo(new Range(null, null));
  }

  @Test
  void longKeys_arePrintedInPart() {
    byte[] key = "k".repeat(1 << 20).getBytes();
    String shown = "k".repeat(64) + "... (1048576 bytes)";
    assertThat(new Range(key, null)).hasToString("Range[from='" + shown + "', to=null]");
    assertThat(new Entry(key, key)).hasToString(shown + "=" + shown);
    assertThat(ReadOptions.withPrefix(key)).hasToString("ReadOptions[prefix='" + shown + "']");
  }

  @Test
  void entry_longValue_isPrintedInPart() {
    Entry entry = new Entry(new byte[] {1}, "x".repeat(100).getBytes());
    assertThat(entry)
        .hasToString("\\x01=" + "x".repeat(64) + "... (100 bytes)")
        .isEqualTo(new Entry(new byte[] {1}, "x".repeat(100).getBytes()))
        .hasSameHashCodeAs(new Entry(new byte[] {1}, "x".repeat(100).getBytes()))
        .isNotEqualTo(new Entry(new byte[] {1}, new byte[0]));
  }
}

package dev.kv.jmh.adapter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.jmh.bench.StoreProbe;
import dev.kv.jmh.store.ByteSum;
import dev.kv.jmh.store.Cursor;
import dev.kv.jmh.store.Cursors;
import dev.kv.jmh.store.OpMeter;
import dev.kv.jmh.store.Reader;
import dev.kv.jmh.store.Store;
import dev.kv.jmh.store.StoreSettings;
import dev.kv.jmh.store.Writer;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** What every adapter must do; products that do not work on this machine are skipped. */
class StoreTest {
  private static final int ENTRIES = 300;

  private static final Map<StoreKind, Optional<String>> TROUBLES = new EnumMap<>(StoreKind.class);

  @TempDir Path scratch;

  @BeforeAll
  static void probe(@TempDir Path directory) throws IOException {
    for (StoreKind kind : StoreKind.values()) {
      TROUBLES.put(kind, StoreProbe.trouble(kind, directory));
    }
  }

  private Store open(StoreKind kind) throws IOException {
    Optional<String> trouble = TROUBLES.get(kind);
    assumeTrue(trouble.isEmpty(), () -> kind.label() + ": " + trouble.orElse(""));
    Files.createDirectories(scratch.resolve("db"));
    return kind.open(scratch.resolve("db"), StoreSettings.DEFAULT);
  }

  private static byte[] key(int number) {
    return String.format(Locale.ROOT, "%016d", number).getBytes(UTF_8);
  }

  private static byte[] value(int number) {
    return ("value of " + number).getBytes(UTF_8);
  }

  /** Fills through arrays that are used again, which adapters must stand. */
  private static void fill(Store store) {
    byte[] key = new byte[16];
    byte[] value = new byte[12];
    try (Writer writer = store.writer(false)) {
      for (int i = 0; i < ENTRIES; i++) {
        int number = i * 7 % ENTRIES;
        System.arraycopy(key(number), 0, key, 0, key.length);
        System.arraycopy(value(number + 100), 0, value, 0, value.length);
        writer.put(key, value);
      }
    }
  }

  private static long scan(Store store, boolean backward) {
    OpMeter meter = new OpMeter(false);
    meter.start();
    try (Cursor cursor = store.cursor()) {
      if (backward) {
        cursor.scanBackward(Long.MAX_VALUE, meter);
      } else {
        cursor.scanForward(Long.MAX_VALUE, meter);
      }
    }
    assertThat(meter.operations()).isEqualTo(ENTRIES);
    assertThat(meter.bytes()).isEqualTo(ENTRIES * 28L);
    return meter.sum();
  }

  private static long expectedSum() {
    long sum = 0;
    for (int i = 0; i < ENTRIES; i++) {
      sum += ByteSum.of(key(i), 16) + ByteSum.of(value(i + 100), 12);
    }
    return sum;
  }

  @ParameterizedTest
  @EnumSource
  void reader_presentAndMissingKeys_areTold(StoreKind kind) throws IOException {
    try (Store store = open(kind)) {
      fill(store);
      try (Reader reader = store.reader()) {
        for (int i = 0; i < ENTRIES; i++) {
          assertThat(reader.get(key(i))).as("key %d", i).isEqualTo(12);
        }
        assertThat(reader.get(key(ENTRIES))).isEqualTo(Reader.MISSING);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void scans_bothWays_readEveryByte(StoreKind kind) throws IOException {
    try (Store store = open(kind)) {
      fill(store);
      assertThat(scan(store, false)).isEqualTo(expectedSumAsRead(kind));
      OpMeter meter = new OpMeter(false);
      store.scan(meter);
      assertThat(meter.operations()).isEqualTo(ENTRIES);
      assertThat(meter.sum()).isEqualTo(expectedSumAsRead(kind));
      if (kind != StoreKind.IQ80) {
        assertThat(scan(store, true)).isEqualTo(expectedSumAsRead(kind));
      }
    }
  }

  @ParameterizedTest
  @EnumSource(names = {"KV", "ROCKSDB", "LMDB", "MVSTORE"})
  void cursor_readFromAKey_readsAtMostTheLimit(StoreKind kind) throws IOException {
    try (Store store = open(kind)) {
      fill(store);
      try (Cursor cursor = store.cursor()) {
        OpMeter meter = new OpMeter(false);
        assertThat(cursor.read(key(10), 7, meter)).isEqualTo(7);
        assertThat(meter.bytes()).isEqualTo(7 * 28L);
        assertThat(cursor.read(key(ENTRIES - 3), 7, meter)).isEqualTo(3);
        assertThat(cursor.read(key(ENTRIES), 7, meter)).isZero();
      }
    }
  }

  /** LMDB's buffers are big-endian: their sum is another one. */
  private static long expectedSumAsRead(StoreKind kind) {
    if (kind != StoreKind.LMDB) {
      return expectedSum();
    }
    long sum = 0;
    for (int i = 0; i < ENTRIES; i++) {
      sum += ByteSum.of(ByteBuffer.wrap(key(i))) + ByteSum.of(ByteBuffer.wrap(value(i + 100)));
    }
    return sum;
  }

  @ParameterizedTest
  @EnumSource
  void seek_presentAndMissingKeys_areTold(StoreKind kind) throws IOException {
    try (Store store = open(kind)) {
      fill(store);
      try (Cursor cursor = store.cursor()) {
        assertThat(cursor.seek(key(17))).isTrue();
        assertThat(cursor.seek("0000000000000017x".getBytes(UTF_8))).isFalse();
        assertThat(cursor.seek(key(ENTRIES + 1))).isFalse();
        assertThat(cursor.seek(key(0))).isTrue();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void reader_refresh_seesEveryWriteBeforeIt(StoreKind kind) throws IOException {
    try (Store store = open(kind);
        Reader reader = store.reader();
        Writer writer = store.writer(false)) {
      for (int i = 0; i < ENTRIES; i++) {
        writer.put(key(i), value(i));
        reader.refresh();
        assertThat(reader.get(key(i))).as("key %d", i).isEqualTo(value(i).length);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void cursors_eachOpen_seesEveryWriteBeforeIt(StoreKind kind) throws IOException {
    try (Store store = open(kind);
        Writer writer = store.writer(false);
        Cursors cursors = store.cursors()) {
      long bytes = 0;
      for (int i = 0; i < ENTRIES; i++) {
        byte[] value = "v".repeat(ENTRIES - i).getBytes(UTF_8);
        writer.put(key(i), value);
        bytes += key(i).length + value.length;
        OpMeter meter = new OpMeter(false);
        try (Cursor cursor = cursors.open()) {
          assertThat(cursor.seek(key(i))).as("key %d", i).isTrue();
          assertThat(cursor.seek(key(i + 1))).as("key %d", i + 1).isFalse();
        }
        try (Cursor cursor = cursors.open()) {
          cursor.scanForward(Long.MAX_VALUE, meter);
        }
        assertThat(meter.operations()).isEqualTo(i + 1);
        assertThat(meter.bytes()).isEqualTo(bytes);
      }
    }
  }

  /** More than the readers that LMDB has room for, which is 126. */
  @ParameterizedTest
  @EnumSource
  void cursors_manyOneAfterTheOther_leaveNothingOpen(StoreKind kind) throws IOException {
    try (Store store = open(kind)) {
      fill(store);
      for (int i = 0; i < ENTRIES; i++) {
        try (Cursors cursors = store.cursors()) {
          for (int j = 0; j < 3; j++) {
            try (Cursor cursor = cursors.open()) {
              assertThat(cursor.seek(key(i))).isTrue();
            }
          }
        }
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void cursor_longKeys_areReadToTheirEnds(StoreKind kind) throws IOException {
    byte[] first = ("a".repeat(184) + "0000000000000001").getBytes(UTF_8);
    byte[] second = ("a".repeat(184) + "0000000000000002").getBytes(UTF_8);
    try (Store store = open(kind)) {
      try (Writer writer = store.writer(false)) {
        writer.put(first, value(100));
        writer.put(second, value(100));
      }
      try (Cursor cursor = store.cursor()) {
        assertThat(cursor.seek(second)).isTrue();
      }
      OpMeter meter = new OpMeter(false);
      try (Cursor cursor = store.cursor()) {
        cursor.scanForward(1, meter);
      }
      assertThat(meter.bytes()).isEqualTo(first.length + 12);
      if (kind != StoreKind.LMDB) {
        assertThat(meter.sum()).isEqualTo(ByteSum.of(first, 200) + ByteSum.of(value(100), 12));
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void batchWriter_commit_appliesPutsAndDeletes(StoreKind kind) throws IOException {
    try (Store store = open(kind)) {
      fill(store);
      try (Writer writer = store.batchWriter(true)) {
        writer.put(key(1000), value(1));
        writer.delete(key(5));
        writer.commit();
        writer.delete(key(6));
        writer.commit();
      }
      try (Reader reader = store.reader()) {
        assertThat(reader.get(key(1000))).isEqualTo(value(1).length);
        assertThat(reader.get(key(5))).isEqualTo(Reader.MISSING);
        assertThat(reader.get(key(6))).isEqualTo(Reader.MISSING);
        assertThat(reader.get(key(7))).isEqualTo(12);
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  void open_again_hasWhatWasSynced(StoreKind kind) throws IOException {
    try (Store store = open(kind);
        Writer writer = store.writer(true)) {
      writer.put(key(1), value(1));
      writer.put(key(2), value(2));
      writer.delete(key(1));
      assertThat(store.diskBytes()).isPositive();
    }
    try (Store store = kind.open(scratch.resolve("db"), StoreSettings.DEFAULT);
        Reader reader = store.reader()) {
      assertThat(reader.get(key(1))).isEqualTo(Reader.MISSING);
      assertThat(reader.get(key(2))).isEqualTo(value(2).length);
    }
  }

  @ParameterizedTest
  @EnumSource(StoreSettings.ReadAccess.class)
  void kvReader_everyAccess_findsTheValue(StoreSettings.ReadAccess access) throws IOException {
    open(StoreKind.KV).close();
    StoreSettings settings =
        new StoreSettings(-1, 0, 0, 0, 0, 10, true, false, access, false, 1L << 20);
    try (Store store = StoreKind.KV.open(scratch.resolve("db"), settings)) {
      fill(store);
      try (Reader reader = store.reader()) {
        assertThat(reader.get(key(3))).isEqualTo(12);
        assertThat(reader.get(key(ENTRIES))).isEqualTo(Reader.MISSING);
      }
    }
  }

  /** These two are measured in every build: they must work wherever it runs. */
  @Test
  void probe_kvAndLeveldbjni_work() {
    assertThat(TROUBLES.get(StoreKind.KV)).isEmpty();
    assertThat(TROUBLES.get(StoreKind.LEVELDBJNI)).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void terms_storesThatTakeNoFilter_sayIt(StoreKind kind) {
    boolean without = kind == StoreKind.LEVELDBJNI || kind == StoreKind.IQ80;
    assertThat(kind.terms().contains("no bloom filter, and tables of 2 MiB")).isEqualTo(without);
  }

  @Test
  void of_unknownName_namesTheKnown() {
    assertThatThrownBy(() -> StoreKind.of("nonsense"))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("leveldbjni, rocksdb, lmdb, iq80, mvstore, xodus, mapdb");
  }
}

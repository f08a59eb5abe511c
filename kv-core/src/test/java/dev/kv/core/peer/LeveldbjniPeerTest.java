package dev.kv.core.peer;

import dev.kv.Options;
import dev.kv.core.LoadsLeveldbjni;
import dev.kv.options.TableSuffix;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Iterator;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBIterator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Compares kv with the C++ LevelDB in leveldbjni, which knows only tables named {@code .sst}. */
@Tag("one-jdk")
@LoadsLeveldbjni
class LeveldbjniPeerTest {
  private static final long SEED = 7;
  private static final int OPERATIONS = 6000;

  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource(KvSide.Configuration.class)
  void directoryOfKv_readByCpp_isTheSame(KvSide.Configuration configuration) throws IOException {
    roundTrip(configuration, TableSuffix.SST, false);
  }

  @Test
  void directoryOfKv_withItsTablesRenamed_isReadByCpp() throws IOException {
    roundTrip(KvSide.Configuration.SNAPPY, TableSuffix.LDB, false);
  }

  @ParameterizedTest
  @EnumSource(
      value = KvSide.Configuration.class,
      names = {"SNAPPY", "BLOOM"})
  void compactedDirectoryOfKv_readByCpp_isTheSame(KvSide.Configuration configuration)
      throws IOException {
    roundTrip(configuration, TableSuffix.SST, true);
  }

  private void roundTrip(KvSide.Configuration configuration, TableSuffix suffix, boolean compact)
      throws IOException {
    Options options = configuration.options().toBuilder().tables(t -> t.suffix(suffix)).build();
    Path directory = temp.resolve("db");
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    for (long round = 0; round < 2; round++) {
      Workload mine = Workload.of(SEED + round, OPERATIONS);
      KvSide.write(directory, options, mine, compact);
      mine.applyTo(model);
      if (suffix == TableSuffix.LDB) {
        KvSide.renameTablesToSst(directory);
      }
      expectFromCpp(directory, model);
      Workload theirs = Workload.of(SEED + 100 + round, OPERATIONS / 4);
      writeByCpp(directory, theirs, CompressionType.SNAPPY);
      theirs.applyTo(model);
      KvSide.expect(directory, options, model);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"NONE", "SNAPPY"})
  void directoryOfCpp_openedByKv_isTheSame(String compression) throws IOException {
    Path directory = temp.resolve("db");
    Workload workload = Workload.of(SEED, OPERATIONS);
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    writeByCpp(directory, workload, CompressionType.valueOf(compression));
    workload.applyTo(model);
    KvSide.expect(directory, Options.DEFAULT, model);
  }

  private static void writeByCpp(Path directory, Workload workload, CompressionType compression)
      throws IOException {
    try (DB db = JniDBFactory.factory.open(directory.toFile(), cppOptions(compression))) {
      workload.run(db::put, db::delete);
    }
  }

  private static void expectFromCpp(Path directory, SortedMap<byte[], byte[]> model)
      throws IOException {
    try (DB db = JniDBFactory.factory.open(directory.toFile(), cppOptions(CompressionType.SNAPPY));
        DBIterator entries = db.iterator()) {
      entries.seekToFirst();
      KvSide.expectEntries(
          "C++ LevelDB",
          new Iterator<>() {
            @Override
            public boolean hasNext() {
              return entries.hasNext();
            }

            @Override
            public Map.Entry<byte[], byte[]> next() {
              return entries.next();
            }
          },
          model);
    }
  }

  private static org.iq80.leveldb.Options cppOptions(CompressionType compression) {
    return new org.iq80.leveldb.Options()
        .createIfMissing(true)
        .paranoidChecks(true)
        .verifyChecksums(true)
        .writeBufferSize(256 << 10)
        .compressionType(compression);
  }
}

package dev.kv.iq80;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.FilterPolicy;
import dev.kv.errors.DBClosedException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.errors.NoSuchDatabaseException;
import java.io.File;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.iq80.leveldb.CompressionType;
import org.iq80.leveldb.DB;
import org.iq80.leveldb.DBException;
import org.iq80.leveldb.DBIterator;
import org.iq80.leveldb.Options;
import org.iq80.leveldb.Range;
import org.iq80.leveldb.ReadOptions;
import org.iq80.leveldb.Snapshot;
import org.iq80.leveldb.WriteBatch;
import org.iq80.leveldb.WriteOptions;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class KvDBTest {
  private static final byte[] KEY = bytes("key");
  private static final byte[] VALUE = bytes("value");

  @TempDir File directory;
  private KvDB db;

  @BeforeEach
  void open() throws IOException {
    db = KvDBFactory.factory.open(directory, new Options());
  }

  @AfterEach
  void close() {
    db.close();
  }

  private static byte[] bytes(String text) {
    return text.getBytes(UTF_8);
  }

  @Test
  void putGetDelete_roundTrip() {
    db.put(KEY, VALUE);
    assertThat(db.get(KEY)).isEqualTo(VALUE);
    db.delete(KEY);
    assertThat(db.get(KEY)).isNull();
  }

  @Test
  void write_batchAfterItsClose_isWritten() throws IOException {
    WriteBatch batch = db.createWriteBatch().put(KEY, VALUE).put(bytes("other"), VALUE);
    batch.delete(bytes("other")).close();
    db.write(batch);
    assertThat(db.get(KEY)).isEqualTo(VALUE);
    assertThat(db.get(bytes("other"))).isNull();
  }

  @Test
  void snapshot_ofReadOptions_showsTheOldState() throws IOException {
    db.put(KEY, VALUE);
    try (Snapshot snapshot = db.getSnapshot()) {
      db.put(KEY, bytes("newer"));
      assertThat(db.get(KEY, new ReadOptions().snapshot(snapshot))).isEqualTo(VALUE);
      assertThat(db.get(KEY)).isEqualTo(bytes("newer"));
    }
  }

  @Test
  void snapshot_ofWriteOptions_showsTheWrite() throws IOException {
    WriteOptions withSnapshot = new WriteOptions().sync(true).snapshot(true);
    Snapshot put = db.put(KEY, VALUE, withSnapshot);
    Snapshot deleted = db.delete(KEY, withSnapshot);
    Snapshot written = db.write(db.createWriteBatch().put(KEY, bytes("third")), withSnapshot);
    assertThat(db.get(KEY, new ReadOptions().snapshot(put))).isEqualTo(VALUE);
    assertThat(db.get(KEY, new ReadOptions().snapshot(deleted))).isNull();
    assertThat(db.get(KEY, new ReadOptions().snapshot(written))).isEqualTo(bytes("third"));
    assertThat(db.put(KEY, VALUE, new WriteOptions())).isNull();
    for (Snapshot each : List.of(put, deleted, written)) {
      each.close();
    }
  }

  @Test
  void sizesPropertiesAndCompactions_reachTheDatabase() throws InterruptedException {
    for (int i = 0; i < 1000; i++) {
      db.put(bytes("key" + i), new byte[1000]);
    }
    DB old = db;
    old.suspendCompactions();
    old.resumeCompactions();
    db.compactRange(null, null);
    assertThat(db.getProperty("leveldb.stats")).contains("Compactions");
    assertThat(db.getProperty("no such property")).isNull();
    long[] sizes = db.getApproximateSizes(new Range(bytes("key"), bytes("kez")));
    assertThat(sizes).hasSize(1);
    assertThat(sizes[0]).isPositive();
  }

  /** As in LevelDB. */
  @Test
  void range_thatEndsBeforeItBegins_isEmpty() {
    db.put(bytes("key"), bytes("value"));
    db.compactRange(bytes("z"), bytes("a"));
    assertThat(db.getApproximateSizes(new Range(bytes("z"), bytes("a")))).containsExactly(0);
    assertThat(db.get(bytes("key"))).isEqualTo(bytes("value"));
  }

  @Test
  void everyCall_onAClosedDatabase_throwsDBException() {
    db.close();
    List<Consumer<KvDB>> calls =
        List.of(
            closed -> closed.get(KEY),
            closed -> closed.put(KEY, VALUE),
            closed -> closed.delete(KEY),
            closed -> closed.write(closed.createWriteBatch().delete(KEY)),
            KvDB::iterator,
            KvDB::getSnapshot,
            closed -> closed.getProperty("leveldb.stats"),
            closed -> closed.getApproximateSizes(new Range(KEY, KEY)),
            closed -> closed.compactRange(null, null),
            KvDB::suspendCompactions,
            KvDB::resumeCompactions);
    for (Consumer<KvDB> call : calls) {
      assertThatThrownBy(() -> call.accept(db))
          .isInstanceOf(DBException.class)
          .hasCauseInstanceOf(DBClosedException.class);
    }
    db.close();
  }

  @Test
  void misuse_isIllegalState() throws IOException {
    Snapshot snapshot = db.getSnapshot();
    snapshot.close();
    DBIterator iterator = db.iterator();
    iterator.close();
    List<ThrowingCallable> calls =
        List.of(
            () -> db.get(KEY, new ReadOptions().snapshot(snapshot)),
            () -> iterator.seek(KEY),
            iterator::hasNext,
            iterator::next);
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isExactlyInstanceOf(IllegalStateException.class);
    }
    db.suspendCompactions();
    assertThatThrownBy(() -> db.compactRange(null, null))
        .isExactlyInstanceOf(IllegalStateException.class);
    db.resumeCompactions();
    db.resumeCompactions(); // does nothing, as in LevelDB
    db.compactRange(null, null);
  }

  @Test
  void nullArguments_areIllegal() {
    List<ThrowingCallable> calls =
        List.of(
            () -> new KvDB((dev.kv.DB) null),
            () -> new KvDBFactory(null),
            () -> KvDBFactory.factory.open(null, new Options()),
            () -> KvDBFactory.factory.open(directory, null),
            () -> KvDBFactory.factory.repair(null, new Options()),
            () -> KvDBFactory.factory.destroy(directory, null),
            () -> db.get(null),
            () -> db.get(KEY, null),
            () -> db.put(null, VALUE),
            () -> db.put(KEY, null),
            () -> db.put(KEY, VALUE, null),
            () -> db.delete(null),
            () -> db.write(null),
            () -> db.iterator(null),
            () -> db.getProperty(null),
            () -> db.getApproximateSizes((Range) null),
            () -> db.createWriteBatch().put(KEY, null),
            () -> db.createWriteBatch().delete(null));
    for (ThrowingCallable call : calls) {
      assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class);
    }
  }

  @Test
  void open_failures_areIOExceptionsWhoseCauseTellsThemApart() {
    File absent = new File(directory, "absent");
    assertThatThrownBy(() -> open(absent, new Options().createIfMissing(false)))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(NoSuchDatabaseException.class);
    assertThatThrownBy(() -> open(directory, new Options()))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(DBLockedException.class);
    db.close();
    assertThatThrownBy(() -> open(directory, new Options().errorIfExists(true)))
        .isInstanceOf(IOException.class)
        .hasCauseInstanceOf(DatabaseExistsException.class);
  }

  private static DB open(File where, Options options) throws IOException {
    return KvDBFactory.factory.open(where, options);
  }

  @Test
  void tables_ofTheFactory_haveTheOldSuffix() {
    db.put(KEY, VALUE);
    db.compactRange(null, null);
    assertThat(directory.list()).anyMatch(name -> name.endsWith(".sst"));
    assertThat(directory.list()).noneMatch(name -> name.endsWith(".ldb"));
  }

  @Test
  void factory_withBaseOptions_laysThoseOfTheProgramOverThem() throws IOException {
    db.close();
    dev.kv.Options base =
        dev.kv.Options.builder()
            .filterPolicy(FilterPolicy.bloom(10))
            .compression(dev.kv.options.CompressionType.ZSTD)
            .blockCacheSize(1 << 20)
            .build();
    Options options = new Options().maxOpenFiles(-1).writeBufferSize(1 << 20);
    dev.kv.Options converted = Conversions.options(options, base);
    assertThat(converted.filterPolicy()).isSameAs(base.filterPolicy());
    assertThat(converted.compression()).isEqualTo(dev.kv.options.CompressionType.ZSTD);
    assertThat(converted.blockCacheSize()).isEqualTo(1 << 20);
    assertThat(converted.createIfMissing()).isTrue();
    assertThat(converted.maxOpenFiles()).isEqualTo(74);
    assertThat(converted.writeBufferSize()).isEqualTo(1 << 20);
    options.compressionType(CompressionType.NONE).cacheSize(2 << 20);
    converted = Conversions.options(options, base);
    assertThat(converted.compression()).isEqualTo(dev.kv.options.CompressionType.NONE);
    assertThat(converted.blockCacheSize()).isEqualTo(2 << 20);
  }

  @Test
  void logger_isToldOfOpenCompactionCloseAndRepair() throws IOException {
    db.put(KEY, VALUE);
    db.close();
    List<String> messages = new ArrayList<>();
    Options options = new Options().logger(messages::add);
    db = KvDBFactory.factory.open(directory, options);
    db.compactRange(null, null);
    db.close();
    db.close();
    KvDBFactory.factory.repair(directory, options);
    assertThat(messages).hasSize(4);
    assertThat(messages.get(0)).startsWith("opened " + directory).endsWith("recovered 1 writes");
    assertThat(messages.get(1)).startsWith("compacted");
    assertThat(messages.get(2)).contains("Compactions");
    assertThat(messages.get(3)).startsWith("repaired " + directory);
  }

  @Test
  void logger_thatThrows_isIgnored() throws IOException {
    db.close();
    Options options =
        new Options()
            .logger(
                message -> {
                  throw new IllegalStateException(message);
                });
    db = KvDBFactory.factory.open(directory, options);
    db.put(KEY, VALUE);
    db.compactRange(null, null);
    db.close();
    KvDBFactory.factory.repair(directory, options);
    open();
    assertThat(db.get(KEY)).isEqualTo(VALUE);
  }

  @Test
  void open_thatFailsAfterTheDatabaseIsOpen_closesIt() throws IOException {
    db.close();
    File unnamed =
        new File(directory.getPath()) {
          private static final long serialVersionUID = 1L;

          @Override
          public String toString() {
            throw new StackOverflowError();
          }
        };
    assertThatThrownBy(() -> open(unnamed, new Options().logger(message -> {})))
        .isInstanceOf(StackOverflowError.class);
    open();
  }

  @Test
  void close_afterTheDatabaseBeneathWasClosed_doesNothing() throws IOException {
    db.close();
    db = KvDBFactory.factory.open(directory, new Options().logger(message -> {}));
    db.unwrap().close();
    db.close();
    assertThatThrownBy(() -> db.get(KEY)).isInstanceOf(DBException.class);
  }

  @Test
  void close_whoseMessageFails_closesTheDatabase() throws IOException {
    dev.kv.DB beneath = db.unwrap();
    Object failing =
        Proxy.newProxyInstance(
            dev.kv.DB.class.getClassLoader(),
            new Class<?>[] {dev.kv.DB.class},
            (proxy, method, arguments) -> {
              if (method.getName().equals("admin")) {
                throw new OutOfMemoryError("injected");
              }
              return method.invoke(beneath, arguments);
            });
    KvDB logged = new KvDB((dev.kv.DB) failing, new InfoLog(message -> {}));
    assertThatThrownBy(logged::close).isInstanceOf(OutOfMemoryError.class).hasMessage("injected");
    open();
  }

  @Test
  void repairAndDestroy_ofAClosedDatabase_doTheirWork() throws IOException {
    db.put(KEY, VALUE);
    db.close();
    assertThat(new File(directory, "CURRENT").delete()).isTrue();
    KvDBFactory.factory.repair(directory, new Options());
    open();
    assertThat(db.get(KEY)).isEqualTo(VALUE);
    db.close();
    KvDBFactory.factory.destroy(directory, new Options());
    assertThat(new File(directory, "CURRENT")).doesNotExist();
  }
}

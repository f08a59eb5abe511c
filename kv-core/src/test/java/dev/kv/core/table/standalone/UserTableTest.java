package dev.kv.core.table.standalone;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.CorruptionException;
import dev.kv.DBComparator;
import dev.kv.DBIOException;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Slice;
import dev.kv.TableReader;
import dev.kv.TableWriter;
import dev.kv.core.env.FileEnv;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class UserTableTest {
  @TempDir private Path directory;

  private final Options options = Options.builder().env(new FileEnv()).blockSize(1024).build();
  private Path file;

  @BeforeEach
  void name() {
    file = directory.resolve("table");
  }

  private static byte[] key(int i) {
    return String.format("key%04d", i).getBytes();
  }

  private void write(int count) {
    try (TableWriter writer = UserTableWriter.ofUserKeys(file, options)) {
      for (int i = 0; i < count; i += 2) {
        writer.add(key(i), ("value" + i).getBytes());
      }
      writer.finish();
      assertThat(writer.entryCount()).isEqualTo((count + 1) / 2);
      assertThat(writer.fileSize()).isEqualTo(Files.size(file));
    } catch (IOException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void iterator_writtenTable_showsWhatWasAdded() {
    write(1000);
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      int seen = 0;
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        assertThat(cursor.key()).isEqualTo(key(seen));
        assertThat(cursor.valueSlice().toUtf8String()).isEqualTo("value" + seen);
        seen += 2;
      }
      assertThat(seen).isEqualTo(1000);
      for (cursor.seekToLast(); cursor.isValid(); cursor.prev()) {
        seen -= 2;
        assertThat(cursor.keySlice()).isEqualTo(Slice.of(key(seen)));
      }
      assertThat(seen).isZero();
      cursor.seek(key(501));
      assertThat(cursor.key()).isEqualTo(key(502));
      cursor.seekForPrev(key(501));
      assertThat(cursor.key()).isEqualTo(key(500));
      cursor.seekForPrev(key(500));
      assertThat(cursor.key()).isEqualTo(key(500));
      cursor.seekForPrev(key(5000));
      assertThat(cursor.key()).isEqualTo(key(998));
      cursor.seek(key(999));
      assertThat(cursor.isValid()).isFalse();
      assertThat(reader.approximateOffsetOf(key(0))).isZero();
      assertThat(reader.approximateOffsetOf(key(998))).isPositive();
    }
  }

  @Test
  void iterator_bounds_showsNothingOutside() {
    write(1000);
    ReadOptions bounds = ReadOptions.builder().lowerBound(key(101)).upperBound(key(110)).build();
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(bounds)) {
      cursor.seekToFirst();
      assertThat(cursor.key()).isEqualTo(key(102));
      cursor.prev();
      assertThat(cursor.isValid()).isFalse();
      cursor.seekToLast();
      assertThat(cursor.key()).isEqualTo(key(108));
      cursor.next();
      assertThat(cursor.isValid()).isFalse();
      cursor.seek(key(0));
      assertThat(cursor.key()).isEqualTo(key(102));
      cursor.seekForPrev(key(900));
      assertThat(cursor.key()).isEqualTo(key(108));
      cursor.seekForPrev(key(50));
      assertThat(cursor.isValid()).isFalse();
    }
    ReadOptions prefix = ReadOptions.builder().prefix("key005".getBytes()).build();
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(prefix)) {
      assertThat(cursor.stream().map(e -> new String(e.key())))
          .containsExactly("key0050", "key0052", "key0054", "key0056", "key0058");
    }
  }

  @Test
  void iterator_afterItsReaderOrItself_isClosed_behaves() {
    write(100);
    TableReader reader = TableReader.open(file, options);
    DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
    reader.close();
    reader.close();
    cursor.seekToFirst();
    Slice key = cursor.keySlice();
    assertThat(key.length()).isEqualTo(7);
    cursor.next();
    cursor.close();
    cursor.close();
    assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(cursor::next).isInstanceOf(IllegalStateException.class);
    assertThatThrownBy(() -> reader.iterator(ReadOptions.DEFAULT))
        .isInstanceOf(IllegalStateException.class);
  }

  @Test
  void close_fromAnotherThreadDuringMoves_releasesTheTableOnce() throws Exception {
    write(300);
    for (int round = 0; round < 200; round++) {
      TableReader reader = TableReader.open(file, options);
      DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
      reader.close();
      CountDownLatch moving = new CountDownLatch(1);
      Thread closer =
          new Thread(
              () -> {
                await(moving);
                cursor.close();
              });
      closer.start();
      assertThatThrownBy(
              () -> {
                while (true) {
                  for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
                    assertThat(cursor.key()).hasSize(7);
                    moving.countDown();
                  }
                }
              })
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the iterator is closed");
      closer.join();
      cursor.close();
    }
  }

  private static void await(CountDownLatch latch) {
    try {
      latch.await();
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void close_byTheComparatorDuringAMove_endsTheMoveAndReleasesAfterIt() {
    write(100);
    AtomicReference<@Nullable DBIterator> closing = new AtomicReference<>();
    DBComparator comparator =
        new DBComparator() {
          @Override
          public int compare(Slice a, Slice b) {
            DBIterator victim = closing.get();
            if (victim != null) {
              victim.close();
            }
            return DBComparator.bytewise().compare(a, b);
          }

          @Override
          public String name() {
            return DBComparator.bytewise().name();
          }
        };
    Options closer = options.toBuilder().comparator(comparator).build();
    try (TableReader reader = TableReader.open(file, closer)) {
      DBIterator cursor = reader.iterator(ReadOptions.DEFAULT);
      cursor.seekToFirst();
      Slice key = cursor.keySlice();
      closing.set(cursor);
      assertThatThrownBy(() -> cursor.seek(key(50)))
          .isInstanceOf(IllegalStateException.class)
          .hasMessage("the iterator is closed");
      assertThatThrownBy(key::length).isInstanceOf(IllegalStateException.class);
    }
  }

  @Test
  void add_outOfOrder_throwsAndTheWriterGoesOn() {
    try (TableWriter writer = UserTableWriter.ofUserKeys(file, options)) {
      writer.add(key(2), new byte[0]);
      assertThatThrownBy(() -> writer.add(key(1), new byte[0]))
          .isInstanceOf(IllegalArgumentException.class);
      writer.flush();
      writer.add(key(3), new byte[0]);
      writer.finish();
      assertThatThrownBy(() -> writer.add(key(4), new byte[0]))
          .isInstanceOf(IllegalStateException.class);
    }
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(cursor.stream().count()).isEqualTo(2);
    }
  }

  @Test
  void close_unfinished_deletesTheFile() {
    TableWriter writer = UserTableWriter.ofUserKeys(file, options);
    writer.add(key(1), new byte[10]);
    writer.close();
    writer.close();
    assertThat(file).doesNotExist();
  }

  @Test
  void create_existingFile_throwsAndLeavesIt() throws IOException {
    Files.writeString(file, "precious");
    assertThatThrownBy(() -> UserTableWriter.ofUserKeys(file, options))
        .isInstanceOf(DBIOException.class);
    assertThat(file).hasContent("precious");
    assertThatThrownBy(() -> TableReader.open(file, options))
        .isInstanceOf(CorruptionException.class);
    assertThatThrownBy(() -> TableReader.open(directory.resolve("none"), options))
        .isInstanceOf(DBIOException.class);
  }

  @Test
  void asIterator_afterASeekBehindTheLastKey_isEmpty() {
    write(10);
    try (TableReader reader = TableReader.open(file, options);
        DBIterator cursor = reader.iterator(ReadOptions.DEFAULT)) {
      assertThat(cursor.isPlaced()).isFalse();
      cursor.seek("z".getBytes());
      assertThat(cursor.asIterator()).isExhausted();
      cursor.seekToFirst();
      assertThat(cursor.stream()).hasSize(5);
    }
  }
}

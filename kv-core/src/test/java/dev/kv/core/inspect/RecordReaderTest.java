package dev.kv.core.inspect;

import static dev.kv.core.LogFiles.record;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.EnvFiles;
import dev.kv.core.LogFiles;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.SequentialFile;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The records of a log or MANIFEST, as a tool reads them. */
class RecordReaderTest {
  private static final int HEADER = 7;
  private static final int BLOCK = 32 << 10;
  private static final Path FILE = Path.of("/db/file");
  private static final byte[] SMALLEST = {'a', 1, 2, 0, 0, 0, 0, 0, 0};
  private static final byte[] LARGEST = {'z', 1, 3, 0, 0, 0, 0, 0, 0};

  private final Env env = Env.inMemory();
  private final List<String> skipped = new ArrayList<>();
  private final List<String> gaps = new ArrayList<>();

  @BeforeEach
  void createDirectory() throws IOException {
    env.createDirectory(FILE.getParent());
  }

  private void write(byte[]... records) throws IOException {
    LogFiles.write(env, FILE, records);
  }

  private RecordReader reader() throws IOException {
    return new RecordReader(
        env,
        FILE,
        (offset, bytes, reason, torn) ->
            skipped.add(offset + " " + bytes + " " + reason + " " + torn));
  }

  /** Changes the bytes of the file; {@code length} is the new length. */
  private void change(int length, int at, int by) throws IOException {
    byte[] bytes = Arrays.copyOf(EnvFiles.read(env, FILE), length);
    bytes[at] += (byte) by;
    EnvFiles.write(env, FILE, bytes);
  }

  @Test
  void records_ofALog_areItsBatches() throws IOException {
    byte[] first = record(0, "a");
    byte[] second = record(0, "second");
    write(first, second);
    try (RecordReader reader = reader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.offset()).isZero();
      assertThat(reader.length()).isEqualTo(first.length);
      BatchRecord batch = reader.batch();
      assertThat(batch.length()).isEqualTo(first.length);
      assertThat(batch.next()).isTrue();
      assertThat(batch.key()).containsExactly('a');
      assertThat(reader.next()).isTrue();
      assertThat(reader.offset()).isEqualTo(HEADER + first.length);
      assertThat(reader.length()).isEqualTo(second.length);
      assertThat(reader.next()).isFalse();
      assertThat(reader.end()).isEqualTo(RecordReader.End.RECORD);
      assertThat(reader.endOfLastRecord()).isEqualTo(2 * HEADER + first.length + second.length);
      assertThat(reader.bytesAfterLastRecord()).isZero();
    }
    assertThat(skipped).isEmpty();
  }

  @Test
  void end_ofALogCutInItsSecondRecord_isTornAfterTheFirst() throws IOException {
    byte[] first = record(0, "a");
    write(first, record(0, "second"));
    change(HEADER + first.length + HEADER + 9, 0, 0);
    try (RecordReader reader = reader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isFalse();
      assertThat(reader.end()).isEqualTo(RecordReader.End.TORN);
      assertThat(reader.endOfLastRecord()).isEqualTo(HEADER + first.length);
      assertThat(reader.bytesAfterLastRecord()).isEqualTo(HEADER + 9);
    }
  }

  @Test
  void damageAtEnd_isOnlyWhatNoInterruptedWriteExplains() throws IOException {
    byte[] first = record(0, "a");
    byte[] second = record(0, "second");
    int end = HEADER + first.length;
    write(first, second, record(0, "third"));
    assertThat(RecordReader.damageAtEnd(env, FILE, end)).as("finished meanwhile").isNull();
    change(end + HEADER + 9, 0, 0);
    assertThat(RecordReader.damageAtEnd(env, FILE, end)).as("cut off").isNull();
    write(first, second, record(0, "third"));
    change(EnvFiles.read(env, FILE).length, end + 5, 0x40);
    assertThat(RecordReader.damageAtEnd(env, FILE, end))
        .startsWith("the length of a record is damaged: ");
  }

  @Test
  void end_ofALogThatWasFilledAhead_isZeros() throws IOException {
    byte[] first = record(0, "a");
    write(first);
    change(BLOCK, 0, 0);
    try (RecordReader reader = reader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.next()).isFalse();
      assertThat(reader.end()).isEqualTo(RecordReader.End.ZEROS);
      assertThat(reader.bytesAfterLastRecord()).isZero();
    }
  }

  @Test
  void damagedRecord_isReportedAndSkipped() throws IOException {
    byte[] first = record(0, "a");
    write(first, record(0, "b"));
    change(EnvFiles.read(env, FILE).length, HEADER + 3, 1);
    try (RecordReader reader = reader()) {
      assertThat(reader.next()).isFalse();
    }
    assertThat(skipped)
        .singleElement()
        .satisfies(report -> assertThat(report).startsWith("0 ").contains("checksum"));
  }

  @Test
  void regionWithoutHeader_isReportedAsAGap() throws IOException {
    write(record(0, "a"));
    byte[] record = EnvFiles.read(env, FILE);
    byte[] bytes = new byte[BLOCK + record.length];
    System.arraycopy(record, 0, bytes, BLOCK, record.length);
    EnvFiles.write(env, FILE, bytes);
    try (RecordReader reader = reader()) {
      assertThat(reader.next()).isTrue();
      assertThat(reader.offset()).isEqualTo(BLOCK);
    }
    assertThat(skipped).containsExactly("0 " + BLOCK + " region never written true");
    skipped.clear();
    RecordReader.Damage damage =
        new RecordReader.Damage() {
          @Override
          public void skipped(long offset, long length, String reason, boolean torn) {
            skipped.add(reason);
          }

          @Override
          public void gap(long offset, long length) {
            gaps.add(offset + " " + length);
          }
        };
    try (RecordReader reader = new RecordReader(env, FILE, damage)) {
      assertThat(reader.next()).isTrue();
    }
    assertThat(gaps).containsExactly("0 " + BLOCK);
    assertThat(skipped).isEmpty();
  }

  @Test
  void edit_ofAManifest_hasAllThatTheRecordSets() throws IOException {
    VersionEdit written =
        VersionEdit.builder()
            .comparatorName("order")
            .logNumber(9)
            .previousLogNumber(8)
            .nextFileNumber(20)
            .lastSequence(100)
            .compactPointer(1, LARGEST)
            .deleteFile(2, 6)
            .addFile(3, new FileMetadata(7, 4096, SMALLEST, LARGEST))
            .build();
    write(
        VersionEditCodec.encode(written),
        VersionEditCodec.encode(VersionEdit.builder().build()),
        new byte[] {99});
    try (RecordReader reader = reader()) {
      assertThat(reader.next()).isTrue();
      ManifestEdit edit = reader.edit();
      assertThat(edit.comparator()).isEqualTo("order");
      assertThat(edit.logNumber()).isEqualTo(9);
      assertThat(edit.previousLogNumber()).isEqualTo(8);
      assertThat(edit.nextFileNumber()).isEqualTo(20);
      assertThat(edit.lastSequence()).isEqualTo(100);
      assertThat(edit.compactPointers())
          .singleElement()
          .satisfies(
              pointer -> {
                assertThat(pointer.level()).isEqualTo(1);
                assertThat(pointer.key()).isEqualTo(LARGEST);
              });
      assertThat(edit.deletedTables()).containsExactly(new ManifestEdit.DeletedTable(2, 6));
      assertThat(edit.newTables())
          .singleElement()
          .satisfies(
              table -> {
                assertThat(table.level()).isEqualTo(3);
                assertThat(table.number()).isEqualTo(7);
                assertThat(table.size()).isEqualTo(4096);
                assertThat(table.smallest()).isEqualTo(SMALLEST);
                assertThat(table.largest()).isEqualTo(LARGEST);
                assertThat(table.smallestUserKey()).containsExactly('a');
                assertThat(table.largestUserKey()).containsExactly('z');
              });
      assertThat(reader.next()).isTrue();
      ManifestEdit empty = reader.edit();
      assertThat(empty.comparator()).isNull();
      assertThat(empty.logNumber()).isEqualTo(ManifestEdit.UNSET);
      assertThat(empty.newTables()).isEmpty();
      assertThat(reader.next()).isTrue();
      assertThatThrownBy(reader::edit)
          .isInstanceOf(CorruptionException.class)
          .hasMessageContaining("file");
    }
  }

  @Test
  void close_closesTheFile() throws IOException {
    write(record(0, "a"));
    List<String> closed = new ArrayList<>();
    Env watched =
        new ForwardingEnv(env) {
          @Override
          public SequentialFile openSequential(Path file) throws IOException {
            return new ForwardingSequentialFile(super.openSequential(file)) {
              @Override
              public void close() throws IOException {
                closed.add(file.toString());
                super.close();
              }
            };
          }
        };
    RecordReader reader = new RecordReader(watched, FILE, (offset, bytes, reason, torn) -> {});
    assertThat(reader.next()).isTrue();
    assertThat(closed).isEmpty();
    reader.close();
    assertThat(closed).containsExactly(FILE.toString());
  }
}

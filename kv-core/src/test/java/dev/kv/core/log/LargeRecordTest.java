package dev.kv.core.log;

import static dev.kv.core.log.LogBytes.copy;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.LogFiles;
import dev.kv.core.Samples;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A large record gets a buffer of its length, which the headers of its fragments tell. */
class LargeRecordTest {
  private static final Path FILE = Path.of("/large/000001.log");
  private static final LogReader.Reporter NOTHING_LOST =
      (offset, bytes, reason, torn) -> {
        throw new AssertionError(reason + " at " + offset);
      };

  private final Env env = Env.inMemory();

  private void write(byte[]... records) throws IOException {
    env.createDirectory(FILE.getParent());
    LogFiles.write(env, FILE, records);
  }

  private static byte[] record(int length) {
    return Samples.bytes(new Random(length), length);
  }

  private LogReader reader() throws IOException {
    return new LogReader(env, FILE, NOTHING_LOST);
  }

  /** From the first byte of a block, or from another one; ends in a block or with it. */
  @ParameterizedTest
  @ValueSource(ints = {10 * 32_761, 10 * 32_761 + 1, 400_000, 3_000_000})
  void record_large_getsABufferOfItsLength(int length) throws IOException {
    byte[] small = record(100);
    byte[] large = record(length);
    for (byte[][] records : new byte[][][] {{large}, {small, large}}) {
      write(records);
      RecordBuffer buffer = new RecordBuffer();
      try (LogReader reader = reader()) {
        for (byte[] record : records) {
          assertThat(reader.readRecord(buffer)).isTrue();
          assertThat(copy(buffer)).isEqualTo(record);
        }
        assertThat(reader.readRecord(buffer)).isFalse();
      }
      assertThat(buffer.buffer().capacity()).isEqualTo(length);
      assertThat(buffer.buffer().isDirect()).isFalse();
      env.delete(FILE);
    }
  }

  @Test
  void record_notLarge_getsADirectBufferThatGrows() throws IOException {
    write(record(200_000));
    RecordBuffer buffer = new RecordBuffer();
    try (LogReader reader = reader()) {
      assertThat(reader.readRecord(buffer)).isTrue();
    }
    assertThat(copy(buffer)).isEqualTo(record(200_000));
    assertThat(buffer.buffer().isDirect()).isTrue();
    buffer.free();
    assertThat(buffer.length()).isZero();
    assertThat(buffer.buffer().capacity()).isEqualTo(4096);
    ByteBuffer smallest = buffer.buffer();
    buffer.free();
    assertThat(buffer.buffer()).isSameAs(smallest);
  }

  @Test
  void record_thatFitsTheBufferOfALargerOne_usesIt() throws IOException {
    write(record(900_000), record(500_000));
    RecordBuffer buffer = new RecordBuffer();
    try (LogReader reader = reader()) {
      assertThat(reader.readRecord(buffer)).isTrue();
      ByteBuffer first = buffer.buffer();
      assertThat(reader.readRecord(buffer)).isTrue();
      assertThat(buffer.buffer()).isSameAs(first);
    }
    assertThat(copy(buffer)).isEqualTo(record(500_000));
  }

  @Test
  void record_whoseFileIsDeletedMeanwhile_isReadWithABufferThatGrows() throws IOException {
    write(record(900_000));
    RecordBuffer buffer = new RecordBuffer();
    try (LogReader reader = reader()) {
      env.delete(FILE);
      assertThat(reader.readRecord(buffer)).isTrue();
    }
    assertThat(copy(buffer)).isEqualTo(record(900_000));
    assertThat(buffer.buffer().isDirect()).isTrue();
  }

  @Test
  void record_cutOff_endsTheLogWithTheRoomOfWhatIsThere() throws IOException {
    LogBytes log = new LogBytes();
    log.write(LogBytes.big("x", 900_000));
    env.createDirectory(FILE.getParent());
    try (WritableFile file = env.createWritable(FILE)) {
      file.append(ByteBuffer.wrap(log.bytes(), 0, 20 * LogBytes.BLOCK + 3));
    }
    RecordBuffer buffer = new RecordBuffer();
    try (LogReader reader = reader()) {
      assertThat(reader.readRecord(buffer)).isFalse();
      assertThat(reader.end()).isEqualTo(LogEnd.TORN);
    }
    assertThat(buffer.buffer().capacity()).isEqualTo(20 * (LogBytes.BLOCK - LogBytes.HEADER));
  }
}

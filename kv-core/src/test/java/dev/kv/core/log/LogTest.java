package dev.kv.core.log;

import static dev.kv.core.log.LogBytes.BLOCK;
import static dev.kv.core.log.LogBytes.HEADER;
import static dev.kv.core.log.LogBytes.big;
import static dev.kv.core.log.LogBytes.number;
import static dev.kv.core.log.LogBytes.skewed;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.BytesFile;
import dev.kv.core.log.LogBytes.Result;
import dev.kv.env.Env;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;

/** The behaviour that C++ LevelDB's log tests demand. */
final class LogTest {
  private final LogBytes log = new LogBytes();

  @Test
  void reader_emptyLog_hasNoRecords() {
    assertRead(log.read());
  }

  @Test
  void records_emptyAmongThem_areReadInOrder() {
    log.write("foo", "bar", "", "xxxx");
    assertRead(log.read(), "foo", "bar", "", "xxxx");
  }

  @Test
  void records_overManyBlocks_areReadInOrder() {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 100_000; i++) {
      records.add(number(i));
    }
    log.write(records.toArray(new String[0]));
    assertRead(log.read(), records.toArray(new String[0]));
  }

  @Test
  void records_largerThanBlocks_areFragmentedAndJoined() {
    assertRoundTrip("small", big("medium", 50_000), big("large", 100_000));
  }

  @Test
  void block_withRoomForExactlyAHeader_getsAnEmptyFirst() {
    int n = BLOCK - 2 * HEADER;
    log.write(big("foo", n));
    assertThat(log.length()).isEqualTo(BLOCK - HEADER);
    log.write("", "bar");
    assertRead(log.read(), big("foo", n), "", "bar");
  }

  @Test
  void block_withRoomForExactlyAHeaderBeforeARecord_isReadBack() {
    int n = BLOCK - 2 * HEADER;
    log.write(big("foo", n), "bar");
    assertThat(log.length()).isEqualTo(BLOCK + HEADER + 3);
    assertThat(log.bytes()[BLOCK - 1]).isEqualTo(LogFormat.FIRST);
    assertRead(log.read(), big("foo", n), "bar");
  }

  /** Early versions of LevelDB ended a block so, and began the record again in the next one. */
  @Test
  void emptyFirst_beforeAnotherBeginning_isPassedOverInSilence() {
    for (String next : List.of("bar", big("bar", 2 * BLOCK))) {
      LogBytes early = new LogBytes();
      int n = BLOCK - 2 * HEADER;
      early.write(big("foo", n));
      early.append(new byte[HEADER]);
      early.set(BLOCK - 1, LogFormat.FIRST);
      early.fixChecksum(BLOCK - HEADER, 0);
      early.write(next);
      assertThat(early.bytes()[BLOCK + HEADER - 1])
          .isEqualTo((byte) (next.length() == 3 ? LogFormat.FULL : LogFormat.FIRST));
      assertRead(early.read(), big("foo", n), next);
    }
  }

  @Test
  void block_withTooLittleRoomForAHeader_isFilledWithZeros() {
    int n = BLOCK - 2 * HEADER + 4;
    log.write(big("foo", n));
    assertThat(log.length()).isEqualTo(BLOCK - HEADER + 4);
    log.write("", "bar");
    assertThat(log.bytes()[BLOCK - 1]).isZero();
    assertThat(log.length()).isEqualTo(BLOCK + 2 * HEADER + 3);
    assertRead(log.read(), big("foo", n), "", "bar");
  }

  @Test
  void file_endingInATrailer_ends() {
    int n = BLOCK - 2 * HEADER + 4;
    log.write(big("foo", n));
    assertThat(log.length()).isEqualTo(BLOCK - HEADER + 4);
    assertRead(log.read(), big("foo", n));
  }

  @Test
  void writer_openedAgain_appends() {
    log.write("hello");
    log.write("world");
    assertRead(log.read(), "hello", "world");
  }

  @Test
  void records_ofRandomLengths_areReadInOrder() {
    Random random = new Random(301);
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 500; i++) {
      records.add(skewed(i, random));
    }
    assertRoundTrip(records.toArray(new String[0]));
  }

  // Damage.

  @Test
  void reader_readError_isAnIOExceptionAndNoEnd() {
    log.write("foo");
    log.failReads();
    Result result = log.read();
    assertThat(result.error).hasMessage("no disk");
    assertThat(result.records).isEmpty();
  }

  @Test
  void reader_badRecordType_isReported() {
    log.write("foo");
    log.increment(6, 100);
    log.fixChecksum(0, 3);
    assertDamage(log.read(), 3, "unknown record type 101");
  }

  @Test
  void reader_truncatedTrailingRecord_isIgnored() {
    log.write("foo");
    log.shrink(4);
    Result result = log.read();
    assertDamage(result, 0, null);
    assertThat(result.end).isEqualTo(LogEnd.TORN);
    assertThat(result.behind).as("a zero is the last byte").isEqualTo(HEADER + 3 - 4 - 1);
  }

  @Test
  void badLength_inAFullBlock_dropsTheBlock() {
    int n = BLOCK - HEADER;
    log.write(big("bar", n), "foo");
    log.increment(4, 1);
    assertDamage(log.read(), BLOCK, "bad record length", "foo");
  }

  @Test
  void badLength_atTheEnd_isIgnored() {
    log.write("foo");
    log.shrink(1);
    assertDamage(log.read(), 0, null);
  }

  @Test
  void reader_checksumMismatch_isReported() {
    log.write("foo");
    log.increment(0, 10);
    assertDamage(log.read(), 10, "checksum mismatch");
  }

  @Test
  void reader_checksumMismatch_dropsTheRestOfTheBlock() {
    log.write("foo", "bar");
    int second = log.length();
    log.write(big("x", BLOCK), "baz");
    log.increment(HEADER, 1);
    Result result = log.read();
    assertThat(result.records).containsExactly("baz");
    assertThat(result.damage.get(0)).isZero();
    assertThat(result.reasons).contains("checksum mismatch", "missing start of fragmented record");
    assertThat(second).isEqualTo(2 * (HEADER + 3));
  }

  @Test
  void checksumMismatch_afterARecord_dropsFromThereOn() {
    log.write("foo", "bar", "baz");
    log.increment(2 * HEADER + 3, 1);
    Result result = log.read();
    assertDamage(result, log.length() - (HEADER + 3), "checksum mismatch", "foo");
    assertThat(result.damage).containsExactly(HEADER + 3L);
  }

  @Test
  void badRecordType_insideARecord_dropsWhatWasBegun() {
    log.write("foo", "four", "bar");
    log.set(6, LogFormat.FIRST);
    log.fixChecksum(0, 3);
    log.set(HEADER + 3 + 6, 9);
    log.fixChecksum(HEADER + 3, 4);
    Result result = log.read();
    assertDamage(result, 3 + 4, "unknown record type 9", "bar");
    assertThat(result.damage).containsExactly(0L);
  }

  @Test
  void reader_unexpectedMiddle_isReported() {
    log.write("foo");
    log.set(6, LogFormat.MIDDLE);
    log.fixChecksum(0, 3);
    assertDamage(log.read(), 3, "missing start of fragmented record");
  }

  @Test
  void reader_unexpectedLast_isReported() {
    log.write("foo");
    log.set(6, LogFormat.LAST);
    log.fixChecksum(0, 3);
    assertDamage(log.read(), 3, "missing start of fragmented record");
  }

  @Test
  void reader_unexpectedFull_dropsTheUnfinishedRecord() {
    log.write("foo", "bar");
    log.set(6, LogFormat.FIRST);
    log.fixChecksum(0, 3);
    assertDamage(log.read(), 3, "partial record without end", "bar");
  }

  @Test
  void reader_unexpectedFirst_dropsTheUnfinishedRecord() {
    log.write("foo", big("bar", 100_000));
    log.set(6, LogFormat.FIRST);
    log.fixChecksum(0, 3);
    assertDamage(log.read(), 3, "partial record without end", big("bar", 100_000));
  }

  @Test
  void reader_missingLast_isIgnored() {
    log.write(big("bar", BLOCK));
    log.shrink(14);
    Result result = log.read();
    assertDamage(result, 0, null);
    assertThat(result.end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void reader_partialLast_isIgnored() {
    log.write(big("bar", BLOCK));
    log.shrink(1);
    Result result = log.read();
    assertDamage(result, 0, null);
    assertThat(result.end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void initialOffset_insideARecordOfManyBlocks_goesOnBehindIt() {
    log.write(big("foo", 3 * BLOCK), "correct");
    assertDamage(log.read(BLOCK), 0, null, "correct");
  }

  @Test
  void reader_lostBlock_neverJoinsTwoRecords() {
    log.write(big("foo", BLOCK), big("bar", BLOCK), "correct");
    log.fill(BLOCK, 2 * BLOCK, 'x');
    Result result = log.read();
    assertThat(result.records).containsExactly("correct");
    assertThat(result.dropped).isBetween(2L * BLOCK, 2L * BLOCK + 100);
  }

  // Initial offsets.

  /**
   * Records of these lengths: three short, one over three blocks, one more, one that ends on a
   * block.
   */
  private static final int[] LENGTHS = {
    10_000, 10_000, 2 * BLOCK - 1000, 1, 13_716, BLOCK - HEADER
  };

  private static final int[] STARTS = {
    0,
    HEADER + 10_000,
    2 * (HEADER + 10_000),
    2 * (HEADER + 10_000) + (2 * BLOCK - 1000) + 3 * HEADER,
    2 * (HEADER + 10_000) + (2 * BLOCK - 1000) + 3 * HEADER + HEADER + 1,
    3 * BLOCK
  };

  private void assertFirstFrom(long initialOffset, int expected) {
    for (int i = 0; i < LENGTHS.length; i++) {
      log.write(String.valueOf((char) ('a' + i)).repeat(LENGTHS[i]));
    }
    Result result = log.read(initialOffset);
    assertThat(result.reasons).isEmpty();
    assertThat(result.records).hasSize(LENGTHS.length - expected);
    for (int i = expected; i < LENGTHS.length; i++) {
      String record = result.records.get(i - expected);
      assertThat(record).hasSize(LENGTHS[i]).startsWith(String.valueOf((char) ('a' + i)));
      assertThat(result.offsets.get(i - expected)).isEqualTo(STARTS[i]);
    }
  }

  @Test
  void initialOffset_zero_readsFromTheStart() {
    assertFirstFrom(0, 0);
  }

  @Test
  void initialOffset_oneBehindTheFirst_readsTheSecond() {
    assertFirstFrom(1, 1);
  }

  @Test
  void initialOffset_insideTheFirst_readsTheSecond() {
    assertFirstFrom(10_000, 1);
  }

  @Test
  void initialOffset_startOfTheSecond_readsTheSecond() {
    assertFirstFrom(10_007, 1);
  }

  @Test
  void initialOffset_oneBehindTheSecond_readsTheThird() {
    assertFirstFrom(10_008, 2);
  }

  @Test
  void initialOffset_startOfTheThird_readsTheThird() {
    assertFirstFrom(20_014, 2);
  }

  @Test
  void initialOffset_oneBehindTheThird_readsTheFourth() {
    assertFirstFrom(20_015, 3);
  }

  @Test
  void initialOffset_trailerOfTheThirdsFirstBlock_readsTheFourth() {
    assertFirstFrom(BLOCK - 4, 3);
  }

  @Test
  void initialOffset_middleBlockOfTheThird_readsTheFourth() {
    assertFirstFrom(BLOCK + 1, 3);
  }

  @Test
  void initialOffset_lastBlockOfTheThird_readsTheFourth() {
    assertFirstFrom(2 * BLOCK + 1, 3);
  }

  @Test
  void initialOffset_startOfTheFourth_readsTheFourth() {
    assertFirstFrom(STARTS[3], 3);
  }

  @Test
  void initialOffset_inPaddingOfABlock_readsTheNextBlock() {
    assertFirstFrom(3 * BLOCK - 3, 5);
  }

  @Test
  void initialOffset_end_readsNothing() {
    log.write("foo", "bar");
    assertDamage(log.read(log.length()), 0, null);
  }

  @Test
  void initialOffset_pastTheEnd_readsNothing() {
    log.write("foo", "bar");
    assertDamage(log.read(log.length() + 5), 0, null);
    assertThat(log.read(10L * BLOCK).records).isEmpty();
  }

  private void assertRoundTrip(String... records) {
    log.write(records);
    assertRead(log.read(), records);
    log.shortReads(1000);
    assertRead(log.read(), records);
  }

  private static void assertRead(Result result, String... records) {
    assertThat(result.error).isNull();
    assertThat(result.reasons).isEmpty();
    assertThat(result.records.equals(List.of(records))).as("records are what was written").isTrue();
    assertThat(result.end).isEqualTo(LogEnd.RECORD);
  }

  private static void assertDamage(Result result, long dropped, String reason, String... records) {
    assertThat(result.error).isNull();
    assertThat(result.records).containsExactly(records);
    assertThat(result.dropped).isEqualTo(dropped);
    if (reason == null) {
      assertThat(result.reasons).isEmpty();
    } else {
      assertThat(result.reasons).containsExactly(reason);
      assertThat(result.torn).containsExactly(false);
    }
  }

  @Test
  void reader_thatCannotSkipToItsBeginning_closesTheFile() {
    AtomicBoolean closed = new AtomicBoolean();
    SequentialFile file =
        new SequentialFile() {
          @Override
          public int read(ByteBuffer into) throws IOException {
            throw new IOException("read");
          }

          @Override
          public void skip(long count) throws IOException {
            throw new IOException("skip");
          }

          @Override
          public void close() {
            closed.set(true);
          }
        };
    assertThatThrownBy(() -> reader(BytesFile.env(() -> file), 40_000)).hasMessage("skip");
    assertThat(closed).isTrue();
  }

  private static LogReader reader(Env env, long initialOffset) throws IOException {
    LogReader.Reporter ignored = (at, bytes, what, torn) -> {};
    return new LogReader(env, Path.of("log"), ignored, initialOffset, LogReader.newBlock());
  }
}

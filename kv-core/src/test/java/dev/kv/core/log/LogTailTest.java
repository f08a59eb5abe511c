package dev.kv.core.log;

import static dev.kv.core.log.LogBytes.BLOCK;
import static dev.kv.core.log.LogBytes.HEADER;
import static dev.kv.core.log.LogBytes.big;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.log.LogBytes.Result;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

/**
 * What a killed process, loss of power and C++ LevelDB leave, and how the reader tells them apart.
 */
final class LogTailTest {
  private final LogBytes log = new LogBytes();

  @Test
  void filledAhead_zerosBehindTheRecords_endSilently() {
    log.write("foo", "bar");
    log.fillBlocks(3);
    Result result = log.read();
    assertThat(result.records).containsExactly("foo", "bar");
    assertThat(result.reasons).isEmpty();
    assertThat(result.end).isEqualTo(LogEnd.ZEROS);
    assertThat(result.behind).isZero();
    assertThat(result.ends).containsExactly(HEADER + 3L, 2L * (HEADER + 3));
  }

  @Test
  void filledAhead_nothingStored_endsSilently() {
    log.fillBlocks(2);
    Result result = log.read();
    assertThat(result.records).isEmpty();
    assertThat(result.reasons).isEmpty();
    assertThat(result.end).isEqualTo(LogEnd.ZEROS);
  }

  @Test
  void filledAhead_recordEndsOnTheBlock_endsInZeros() {
    log.write(big("x", BLOCK - HEADER));
    assertThat(log.length()).isEqualTo(BLOCK);
    assertThat(log.read().end).isEqualTo(LogEnd.RECORD);
    log.fillBlocks(2);
    assertThat(log.read().end).isEqualTo(LogEnd.ZEROS);
  }

  @Test
  void killedBeforeTheHeader_payloadStandsAlone_isNoRecordAndTorn() {
    log.write("foo", "bar");
    log.fillBlocks(2);
    log.fill(HEADER + 3, 2 * HEADER + 3, 0);
    Result result = log.read();
    assertThat(result.records).containsExactly("foo");
    assertThat(result.reasons).isEmpty();
    assertThat(result.end).isEqualTo(LogEnd.TORN);
    assertThat(result.behind).as("the zeros filled ahead do not count").isEqualTo(HEADER + 3);
  }

  @Test
  void killedBetweenFragments_firstStandsAlone_isTorn() {
    log.write("foo", big("y", BLOCK));
    log.fillBlocks(3);
    log.fill(BLOCK, 3 * BLOCK, 0);
    Result result = log.read();
    assertThat(result.records).containsExactly("foo");
    assertThat(result.reasons).isEmpty();
    assertThat(result.end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void gap_recordsBehindZeros_isReportedBeforeThem() {
    log.write("foo");
    log.fillBlocks(2);
    log.write("bar");
    Result result = log.read();
    assertThat(result.records).containsExactly("foo", "bar");
    assertThat(result.reasons).containsExactly("region never written");
    assertThat(result.damage).containsExactly(HEADER + 3L);
    assertThat(result.dropped).isEqualTo(2 * BLOCK - HEADER - 3);
    assertThat(result.torn).containsExactly(true);
    assertThat(result.end).isEqualTo(LogEnd.RECORD);
  }

  @Test
  void gap_fromTheBeginning_isReportedOnceAndWhole() {
    log.fillBlocks(2);
    log.write("bar");
    Result result = log.read();
    assertThat(result.records).containsExactly("bar");
    assertThat(result.reasons).containsExactly("region never written");
    assertThat(result.damage).containsExactly(0L);
    assertThat(result.dropped).isEqualTo(2 * BLOCK);
  }

  @Test
  void gap_fromTheBeginningWithAPayload_endsTorn() {
    log.write(big("z", BLOCK / 2));
    log.fill(0, HEADER, 0);
    assertThat(log.read().end).isEqualTo(LogEnd.TORN);
    log.fillBlocks(2);
    Result result = log.read();
    assertThat(result.end).isEqualTo(LogEnd.TORN);
    assertThat(result.behind).isEqualTo(HEADER + BLOCK / 2);
  }

  /** Fewer zeros than a header takes are a trailer only at the end of a block. */
  @Test
  void zerosTooFewForAHeader_whereOneHadRoom_areNoTrailer() {
    log.write(big("x", BLOCK - 2 * HEADER));
    log.append(new byte[3]);
    assertThat(log.read().end).isEqualTo(LogEnd.ZEROS);
    LogBytes trailer = new LogBytes();
    trailer.write(big("x", BLOCK - 2 * HEADER + 1));
    trailer.append(new byte[3]);
    assertThat(trailer.read().end).isEqualTo(LogEnd.RECORD);
  }

  @Test
  void gap_ofAPayloadWithoutAHeader_isTorn() {
    log.write("foo", big("z", BLOCK - 2 * HEADER - 3));
    assertThat(log.length()).isEqualTo(BLOCK);
    log.fill(HEADER + 3, 2 * HEADER + 3, 0);
    log.write("bar");
    Result result = log.read();
    assertThat(result.records).containsExactly("foo", "bar");
    assertThat(result.damage).containsExactly(HEADER + 3L);
    assertThat(result.torn).containsExactly(true);
  }

  @Test
  void gap_overTheBeginningOfARecord_makesItsRestTornToo() {
    log.write("foo", big("y", 2 * BLOCK), "bar");
    log.fill(HEADER + 3, 4096, 0);
    Result result = log.read();
    assertThat(result.records).containsExactly("foo", "bar");
    assertThat(result.reasons)
        .startsWith("region never written", "missing start of fragmented record");
    assertThat(result.torn).hasSizeGreaterThan(1).containsOnly(true);
  }

  @Test
  void tornBeginningOfARecord_makesItsRestTornToo_damageDoesNot() {
    for (boolean torn : new boolean[] {true, false}) {
      LogBytes log = new LogBytes();
      log.write("foo", big("y", 2 * BLOCK), "bar");
      log.fill(1024, torn ? 1536 : 1030, 0);
      Result result = log.read();
      assertThat(result.records).containsExactly("foo", "bar");
      assertThat(result.reasons)
          .startsWith("checksum mismatch", "missing start of fragmented record");
      assertThat(result.torn).hasSizeGreaterThan(1).containsOnly(torn);
    }
  }

  @Test
  void gap_insideARecord_dropsTheRecordToo() {
    log.write("foo", big("y", 3 * BLOCK), "bar");
    log.fill(BLOCK, 2 * BLOCK, 0);
    Result result = log.read();
    assertThat(result.records).containsExactly("foo", "bar");
    assertThat(result.reasons)
        .startsWith("region never written", "error in middle of record")
        .allMatch(
            reason ->
                reason.equals("missing start of fragmented record")
                    || !reason.equals(result.reasons.get(2)));
    assertThat(result.torn.subList(0, 2)).containsExactly(true, true);
  }

  @Test
  void checksumMismatch_withAZeroSector_isTorn() {
    log.write("foo", big("y", 5000));
    log.write("bar");
    int sector = 1024;
    log.fill(sector, sector + 512, 0);
    Result result = log.read();
    assertThat(result.records).containsExactly("foo");
    assertThat(result.reasons).containsExactly("checksum mismatch");
    assertThat(result.damage).containsExactly(HEADER + 3L);
    assertThat(result.torn).containsExactly(true);
    assertThat(result.end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void checksumMismatch_withZerosOfLessThanASector_isDamage() {
    log.write("foo", big("y", 5000));
    log.fill(1024, 1024 + 511, 0);
    Result result = log.read();
    assertThat(result.torn).containsExactly(false);
    log.fill(1025, 1025 + 511, 0);
    assertThat(log.read().torn).containsExactly(true);
  }

  @Test
  void checksumMismatch_zeroSectorOnlyBehindTheRecord_isDamage() {
    log.write(big("y", 100), big("z", 3000));
    log.fill(1024, 1024 + 512, 0);
    log.increment(50, 1);
    Result result = log.read();
    assertThat(result.damage).containsExactly(0L);
    assertThat(result.torn).containsExactly(false);
  }

  @Test
  void headerOverTwoSectors_firstOneOld_isTorn() {
    log.write(big("y", 2 * 512 - 3 - HEADER), big("z", 3000));
    log.fill(2 * 512 - 3, 2 * 512, 0);
    Result result = log.read();
    assertThat(result.reasons).containsExactly("checksum mismatch");
    assertThat(result.torn).containsExactly(true);
  }

  @Test
  void gap_restOfTheSectorZeroAndTheNextOneNot_isTorn() {
    log.write("foo", big("z", BLOCK - 2 * HEADER - 3));
    log.fill(HEADER + 3, 512, 0);
    log.write("bar");
    Result result = log.read();
    assertThat(result.reasons).containsExactly("region never written");
    assertThat(result.torn).containsExactly(true);
  }

  @Test
  void badLength_overAZeroSector_isTorn() {
    log.write(big("y", 2000));
    log.fillBlocks(2);
    log.set(5, 0xff);
    Result result = log.read();
    assertThat(result.reasons).containsExactly("bad record length");
    assertThat(result.torn).containsExactly(true);
    assertThat(result.end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void end_bytesAfterTheLastRecord_isNotARecord() {
    log.write("foo");
    assertThat(log.read().end).isEqualTo(LogEnd.RECORD);
    for (int zeros = 1; zeros <= 8; zeros++) {
      log.append(new byte[1]);
      assertThat(log.read().end).as("%d zeros", zeros).isEqualTo(LogEnd.ZEROS);
    }
    log.append(new byte[] {1});
    assertThat(log.read().end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void end_insideTheTrailer_isARecord() {
    log.write(big("x", BLOCK - HEADER - 5));
    for (int i = 0; i <= 5; i++) {
      assertThat(log.read().end).as("%d of 5", i).isEqualTo(LogEnd.RECORD);
      log.append(new byte[1]);
    }
  }

  @Test
  void end_damagedLastRecord_isNotARecord() {
    log.write("foo", "bar");
    log.increment(log.length() - 1, 1);
    assertThat(log.read().end).isEqualTo(LogEnd.TORN);
  }

  @Test
  void truncation_everyLength_givesAPrefixWithoutAReport() {
    Random random = new Random(77);
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 60; i++) {
      records.add(LogBytes.skewed(i, random));
    }
    log.write(records.toArray(new String[0]));
    Result whole = log.read();
    int length = log.length();
    byte[] bytes = log.bytes();
    for (int i = 0; i < 300; i++) {
      int cut = i < 50 ? length - i : random.nextInt(length);
      LogBytes shorter = new LogBytes();
      shorter.append(Arrays.copyOf(bytes, cut));
      Result result = shorter.read();
      int expected = 0;
      while (expected < whole.ends.size() && whole.ends.get(expected) <= cut) {
        expected++;
      }
      assertThat(result.records.equals(records.subList(0, expected))).as("cut at %d", cut).isTrue();
      assertThat(result.reasons).as("cut at %d", cut).isEmpty();
    }
  }

  @Test
  void everyFlippedByte_isReportedOrShortensTheLog_neverChangesARecord() {
    List<String> records = new ArrayList<>();
    for (int i = 0; i < 40; i++) {
      records.add(big(i + "-", 20 + i));
    }
    log.write(records.toArray(new String[0]));
    for (int at = 0; at < log.length(); at++) {
      log.set(at, log.bytes()[at] ^ 0x40);
      Result result = log.read();
      assertThat(records).as("byte %d", at).containsAll(result.records);
      assertThat(result.records.size()).as("byte %d", at).isLessThan(records.size());
      assertThat(!result.reasons.isEmpty() || result.end != LogEnd.RECORD)
          .as("byte %d", at)
          .isTrue();
      log.set(at, log.bytes()[at] ^ 0x40);
    }
  }

  @Test
  void reader_garbage_neverFails() {
    Random random = new Random(78);
    for (int i = 0; i < 200; i++) {
      byte[] bytes = new byte[random.nextInt(3 * BLOCK)];
      random.nextBytes(bytes);
      for (int zeros = random.nextInt(3); zeros > 0 && bytes.length > 0; zeros--) {
        int from = random.nextInt(bytes.length);
        Arrays.fill(
            bytes, from, Math.min(bytes.length, from + random.nextInt(2 * BLOCK)), (byte) 0);
      }
      LogBytes garbage = new LogBytes();
      garbage.append(bytes);
      garbage.shortReads(random.nextInt(3) * 777);
      Result result = garbage.read(random.nextInt(4) == 0 ? random.nextInt(bytes.length + 1) : 0);
      assertThat(result.error).as("round %d", i).isNull();
      assertThat(result.records).as("round %d", i).isEmpty();
    }
  }
}

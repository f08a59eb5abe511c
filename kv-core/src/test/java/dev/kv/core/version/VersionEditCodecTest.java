package dev.kv.core.version;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class VersionEditCodecTest {
  private static VersionEdit decode(byte[] bytes) {
    return VersionEditCodec.decode(direct(bytes), bytes.length, "MANIFEST-000002", 7);
  }

  private static VersionEdit decodeHex(String hex) {
    return decode(HexFormat.of().parseHex(hex.replace(" ", "")));
  }

  private static void assertSame(VersionEdit actual, VersionEdit expected) {
    assertThat(VersionEditCodec.encode(actual)).isEqualTo(VersionEditCodec.encode(expected));
    assertThat(actual.comparatorName()).isEqualTo(expected.comparatorName());
    assertThat(actual.logNumber()).isEqualTo(expected.logNumber());
    assertThat(actual.previousLogNumber()).isEqualTo(expected.previousLogNumber());
    assertThat(actual.nextFileNumber()).isEqualTo(expected.nextFileNumber());
    assertThat(actual.lastSequence()).isEqualTo(expected.lastSequence());
    assertThat(actual.deletedFiles()).isEqualTo(expected.deletedFiles());
    assertThat(actual.newFiles()).hasSameSizeAs(expected.newFiles());
    assertThat(actual.compactPointers()).hasSameSizeAs(expected.compactPointers());
  }

  @Test
  void encodeAndDecode_ofGrowingEdits_giveTheSame() {
    long big = 1L << 50;
    VersionEdit.Builder builder = VersionEdit.builder();
    for (int i = 0; i < 4; i++) {
      assertSame(decode(VersionEditCodec.encode(builder.build())), builder.build());
      builder
          .addFile(
              3,
              new FileMetadata(
                  big + 300 + i,
                  big + 400 + i,
                  VersionText.key("foo@" + (big + 500 + i)),
                  VersionText.key("zoo@" + (big + 600 + i) + ":d")))
          .deleteFile(4, big + 700 + i)
          .compactPointer(i, VersionText.key("x@" + (big + 900 + i)));
    }
    builder.comparatorName("foo").logNumber(big + 100).nextFileNumber(big + 200);
    builder.lastSequence(big + 1000).previousLogNumber(0);
    assertSame(decode(VersionEditCodec.encode(builder.build())), builder.build());
  }

  @Test
  void decode_ofAnEditWrittenByLevelDb_readsEveryField() {
    VersionEdit edit =
        decodeHex(
            "0208 0900 030b 04dc0b 05 00 11 757365723a31343939 01dc050000000000"
                + "06 00 09 06 01 07 07 01 0a ab9d01 11 757365723a31303030 01e9030000000000"
                + "10 757365723a393939 01e8030000000000");
    assertThat(edit.comparatorName()).isNull();
    assertThat(edit.logNumber()).isEqualTo(8);
    assertThat(edit.previousLogNumber()).isZero();
    assertThat(edit.nextFileNumber()).isEqualTo(11);
    assertThat(edit.lastSequence()).isEqualTo(1500);
    assertThat(VersionText.text(edit.compactPointers().get(0).key())).isEqualTo("user:1499@1500");
    assertThat(edit.deletedFiles())
        .containsExactly(new VersionEdit.DeletedFile(0, 9), new VersionEdit.DeletedFile(1, 7));
    FileMetadata file = edit.newFiles().get(0).file();
    assertThat(edit.newFiles().get(0).level()).isEqualTo(1);
    assertThat(file.number()).isEqualTo(10);
    assertThat(file.size()).isEqualTo(20139);
    assertThat(VersionText.text(file.smallest())).isEqualTo("user:1000@1001");
    assertThat(VersionText.text(file.largest())).isEqualTo("user:999@1000");
  }

  @Test
  void encode_ofANewDatabasesEdit_givesTheBytesOfLevelDb() {
    VersionEdit edit =
        VersionEdit.builder()
            .comparatorName("leveldb.BytewiseComparator")
            .lastSequence(0)
            .nextFileNumber(2)
            .logNumber(0)
            .build();
    assertThat(VersionEditCodec.encode(edit))
        .isEqualTo(
            HexFormat.of()
                .parseHex(
                    "011a6c6576656c64622e4279746577697365436f6d70617261746f72" + "020003020400"));
  }

  @ParameterizedTest
  @CsvSource(
      delimiter = '|',
      textBlock =
          """
          08                             | unknown tag 8
          00                             | unknown tag 0
          0a                             | unknown tag 10
          63                             | unknown tag 99
          ffffffff0f                     | unknown tag 4294967295
          80                             | tag is truncated
          8080808080 00                  | tag is truncated or not a number
          02                             | log number is truncated
          02 ffffffffffffffffff01        | log number 18446744073709551615 is too large
          02 ffffffffffffffffff02        | log number is truncated or not a number
          03 8080808080808080 40         | next file number 4611686018427387904 is too large
          02 05 02 05                    | log number is set twice
          03 05 03 05                    | next file number is set twice
          09 05 09 05                    | previous log number is set twice
          01 01 61 01 01 61              | comparator is set twice
          04 01 04 01                    | last sequence is set twice
          04 8080808080808080 01 | last sequence 72057594037927936 is beyond 72057594037927935
          01 05 61                       | comparator of 5 bytes ends after the record
          01 ffffffff0f                  | comparator of 4294967295 bytes ends after the record
          01 ffffffff07                  | comparator of 2147483647 bytes ends after the record
          01 02 ff 61                    | comparator is not UTF-8
          05 07 09 61 0101000000000000   | level 7 is not below 7
          05 ffffffff0f 09 61 0101000000000000 | level 4294967295 is not below 7
          05 01 07 01010000000000        | compact pointer is not an internal key
          05 01 00                       | compact pointer is not an internal key
          05 01 09 61 0201000000000000   | compact pointer is not an internal key
          06 07 01                       | level 7 is not below 7
          06 01 05 06 01 05              | table 5 is deleted twice
          07 07 01 01 09 61 0101000000000000 | level 7 is not below 7
          07 01 01 01 09 61 0101000000000000 | largest key is truncated
          07 01 01 01 00 09 61 0101000000000000 | smallest key is not an internal key
          07 01 01 01 09 61 0101000000000000 05 6162636465 | largest key is not an internal key
          07 01 01 ffffffffffffffffff01  | new table's size 18446744073709551615 is too large
          """)
  void decode_ofWhatIsNoEdit_namesTheDamage(String hex, String message) {
    assertThatThrownBy(() -> decodeHex(hex))
        .isInstanceOfSatisfying(
            CorruptionException.class,
            e -> {
              assertThat(e.file()).isEqualTo("MANIFEST-000002");
              assertThat(e.offset()).isEqualTo(7);
            })
        .hasMessageContaining(message);
  }

  @Test
  void decode_ofATableAddedTwice_isCorruption() {
    String file = "07 01 05 01 09 61 0101000000000000 09 61 0101000000000000 ";
    String elsewhere = "07 02 05 01 09 61 0101000000000000 09 61 0101000000000000 ";
    assertThat(decodeHex(file).newFiles()).hasSize(1);
    assertThatThrownBy(() -> decodeHex(file + file)).hasMessageContaining("table 5 is added twice");
    assertThatThrownBy(() -> decodeHex(file + elsewhere))
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("table 5 is added twice");
  }

  /** After the log number, the next file number and the last sequence, as RocksDB writes them. */
  @ParameterizedTest
  @ValueSource(strings = {"64", "67", "c801", "ac02 05", "8140 24", "81c001 00"})
  void decode_ofRocksDbTags_saysSo(String hex) {
    assertThatThrownBy(() -> decodeHex("02 00 03 02 04 00 " + hex))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("RocksDB")
        .hasMessageContaining("MANIFEST-000002");
  }

  /** The first edit of a MANIFEST of RocksDB may hold only the identity of the database. */
  @Test
  void decode_ofTheIdentityOfARocksDb_saysSo() {
    assertThatThrownBy(() -> decodeHex("8140 08 3132333435362d61"))
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("RocksDB");
  }

  /** A MANIFEST that holds a log begins with a sequence number, a count and a write. */
  @ParameterizedTest
  @ValueSource(ints = {100, 120, 200, 1000, 0x2001, 0x4081, 0x244081, 0x7f4081, 0xc8ffffff})
  void decode_ofABatch_isCorruptionWhateverItsNumber(int sequence) {
    ByteBuffer batch = ByteBuffer.allocate(50).order(ByteOrder.LITTLE_ENDIAN);
    batch.putLong(Integer.toUnsignedLong(sequence)).putInt(1).put((byte) 1);
    batch.put((byte) 37).put("k".repeat(36).getBytes(StandardCharsets.UTF_8));
    assertThatThrownBy(() -> decode(batch.array())).isInstanceOf(CorruptionException.class);
  }

  @Test
  void decode_ofEveryTruncation_isAShorterEditOrCorruption() {
    byte[] whole =
        VersionEditCodec.encode(
            VersionEdit.builder()
                .comparatorName("c")
                .logNumber(300)
                .nextFileNumber(400)
                .lastSequence(1L << 40)
                .compactPointer(2, VersionText.key("k@7"))
                .deleteFile(1, 200)
                .addFile(
                    6, new FileMetadata(9, 1, VersionText.key("a@2"), VersionText.key("b@1:d")))
                .build());
    int clean = 0;
    for (int length = 0; length < whole.length; length++) {
      byte[] head = Arrays.copyOf(whole, length);
      try {
        decode(head);
        clean++;
      } catch (CorruptionException e) {
        assertThat(e.offset()).isEqualTo(7);
      }
    }
    // One for each field: where the field before it ends.
    assertThat(clean).isEqualTo(7);
  }

  @Test
  void decode_ofRandomBytes_neverDoesAnythingElse() {
    long seed = 20240611;
    Random random = new Random(seed);
    for (int i = 0; i < 20_000; i++) {
      byte[] bytes = new byte[random.nextInt(40)];
      for (int b = 0; b < bytes.length; b++) {
        bytes[b] = (byte) (random.nextBoolean() ? random.nextInt(12) : random.nextInt());
      }
      try {
        VersionEdit edit = decode(bytes);
        assertSame(decode(VersionEditCodec.encode(edit)), edit);
      } catch (CorruptionException | UnsupportedFormatException e) {
        assertThat(e.getMessage()).as("seed %d, round %d", seed, i).contains("MANIFEST-000002");
      }
    }
  }

  @Test
  void decode_ofMillionsOfTinyFields_takesMemoryInProportion() {
    ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    for (int i = 0; i < 10_000; i++) {
      bytes.writeBytes(new byte[] {6, (byte) (i % 7), (byte) (0x80 | i & 0x7f), (byte) (i >> 7)});
    }
    byte[] record = bytes.toByteArray();
    assertThat(decode(record).deletedFiles()).hasSize(10_000);
  }

  @Test
  void describe_ofAnEdit_isTheTextOfADump() {
    VersionEdit edit =
        VersionEdit.builder()
            .comparatorName("mine\n")
            .logNumber(3)
            .previousLogNumber(0)
            .nextFileNumber(9)
            .lastSequence(77)
            .compactPointer(1, VersionText.key("k@5"))
            .deleteFile(2, 6)
            .addFile(3, VersionText.file("8:100", "a@1..b@2:d"))
            .build();
    assertThat(edit.describe())
        .isEqualTo(
            """
            VersionEdit {
              Comparator: mine\\x0a
              LogNumber: 3
              PrevLogNumber: 0
              NextFile: 9
              LastSeq: 77
              CompactPointer: 1 'k' @ 5 : 1
              RemoveFile: 2 6
              AddFile: 3 8 100 'a' @ 1 : 1 .. 'b' @ 2 : 0
            }
            """);
  }

  @Test
  void decode_ofALongerBuffer_looksAtNothingAfterTheRecord() {
    byte[] bytes = "\u0001\u0001cyy".getBytes(StandardCharsets.ISO_8859_1);
    ByteBuffer buffer = direct(bytes);
    assertThat(VersionEditCodec.decode(buffer, 3, "m", 0).comparatorName()).isEqualTo("c");
  }
}

package dev.kv.core.manifest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.env.FileNames;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionText;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Damaged and hostile MANIFESTs: a named error or the truth, nothing between. */
final class ManifestDamageTest extends ManifestTestBase {
  /**
   * Creates a database whose MANIFEST-000002 has three edits after the version; returns all states,
   * in order.
   */
  private List<String> history() throws IOException {
    List<String> states = new ArrayList<>();
    try (VersionSet set = created()) {
      states.add(describe(set));
      set.setLastSequence(500);
      for (VersionEdit edit :
          List.of(
              edit("+L0 5:10 a@1..c@2"),
              edit("+L1 6:20 d@3..f@4", "+L1 7:20 g@3..h@4:d"),
              edit("-L0 5", "+L2 8:30 a@1..c@2"))) {
        set.logAndApply(edit);
        states.add(describe(set));
      }
    }
    Files.write(FileNames.log(directory, 3), new byte[0]);
    return states;
  }

  @Test
  void recover_ofEveryTruncation_givesAnEarlierStateOrCorruption() throws IOException {
    List<String> states = history();
    byte[] whole = Files.readAllBytes(manifest(2));
    int seen = 0;
    for (int length = 0; length < whole.length; length++) {
      Files.write(manifest(2), Arrays.copyOf(whole, length));
      try {
        assertThat(describeRecovered()).as("cut at %d", length).isIn(states);
        seen++;
      } catch (CorruptionException e) {
        assertThat(e).as("cut at %d", length).hasMessageContaining("no edit sets");
      }
    }
    assertThat(seen).isPositive();
  }

  @Test
  void recover_ofAMissingManifest_saysWhatHelps() throws IOException {
    history();
    Files.delete(manifest(2));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("CURRENT names MANIFEST-000002, which is not there; DB.repair");
  }

  @Test
  void recover_ofEveryFlippedByte_givesTheStateAnEarlierOneOrAnError() throws IOException {
    List<String> states = history();
    byte[] whole = Files.readAllBytes(manifest(2));
    int errors = 0;
    for (int at = 0; at < whole.length; at++) {
      for (int mask : new int[] {1, 0x80, 0xff}) {
        byte[] flipped = whole.clone();
        flipped[at] ^= (byte) mask;
        Files.write(manifest(2), flipped);
        try {
          assertThat(describeRecovered()).as("byte %d", at).isIn(states);
        } catch (CorruptionException | UnsupportedFormatException e) {
          assertThat(e).as("byte %d", at).hasMessageContaining("MANIFEST");
          errors++;
        }
      }
    }
    assertThat(errors).isGreaterThan(2 * whole.length);
  }

  @Test
  void recover_ofAnEndThatIsNoCrash_isCorruption() throws IOException {
    history();
    byte[] whole = Files.readAllBytes(manifest(2));
    Files.write(manifest(2), Arrays.copyOf(whole, whole.length - 1));
    assertThat(describeRecovered()).isNotEmpty();
    // A log goes only once an edit that replaces it is durable: so an edit is missing here.
    Files.delete(FileNames.log(directory, 3));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("000003.log");
  }

  @Test
  void recover_ofATornSectorAtTheEnd_givesTheStateBefore() throws IOException {
    List<String> states = history();
    StringBuilder key = new StringBuilder();
    for (int i = 0; i < 1200; i++) {
      key.append((char) ('a' + i % 26));
    }
    try (VersionSet set = new VersionSet(context(files, MAX_FILE_SIZE, true), () -> {})) {
      set.recover(false);
      set.logAndApply(edit("+L3 20:10 " + key + "@1..z@2"));
    }
    byte[] whole = Files.readAllBytes(manifest(2));
    Arrays.fill(whole, 512, 1024, (byte) 0);
    Files.write(manifest(2), whole);
    assertThat(describeRecovered()).isEqualTo(states.get(states.size() - 1));

    try (VersionSet set = new VersionSet(context(files, MAX_FILE_SIZE, true), () -> {})) {
      assertThat(set.recover(false)).as("a torn MANIFEST is not written to").isTrue();
    }
  }

  @Test
  void recover_ofATornSectorWithRecordsBehindIt_isCorruption() throws IOException {
    history();
    String key = "k".repeat(40_000);
    try (VersionSet set = new VersionSet(context(files, MAX_FILE_SIZE, true), () -> {})) {
      set.recover(false);
      set.logAndApply(edit("+L3 20:10 " + key + "@1..z@2"));
      set.logAndApply(edit("-L3 20"));
    }
    byte[] whole = Files.readAllBytes(manifest(2));
    Arrays.fill(whole, 1024, 1536, (byte) 0);
    Files.write(manifest(2), whole);
    assertThatThrownBy(this::describeRecovered).isInstanceOf(CorruptionException.class);
  }

  @Test
  void recover_ofOverlappingTables_isCorruption() throws IOException {
    write(complete().build(), edit("+L1 5:10 a@1..c@2", "+L1 6:10 b@1..d@2"));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("overlap")
        .hasMessageContaining("MANIFEST-000007");
  }

  @Test
  void recover_ofATableAddedTwice_isCorruption() throws IOException {
    write(complete().build(), edit("+L0 5:10 a@1..c@2"), edit("+L3 5:10 a@1..c@2"));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("table 5 is added to level 3 but is in level 0");
  }

  @Test
  void recover_ofATableThatEndsBeforeItBegins_isCorruption() throws IOException {
    write(complete().build(), edit("+L0 5:10 c@1..a@2"));
    assertThatThrownBy(this::describeRecovered).isInstanceOf(CorruptionException.class);
  }

  @Test
  void recover_ofAnEditLoggedTwice_passesItsDeletions() throws IOException {
    write(complete().build(), edit("+L0 5:10 a@1..c@2"), edit("-L0 5"), edit("-L0 5"));
    assertThat(describeRecovered()).doesNotContain("5:10");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "0200",
        "08",
        "0707",
        "ffffffffff",
        "01ffffffff0f",
        "04ffffffffffffffffff01",
        "0700ffffffffffffffffff7f",
        "0700010afeffffff0f"
      })
  void recover_ofHostileRecords_isCorruption(String hex) throws IOException {
    write(7, List.of(HexFormat.of().parseHex(hex)));
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(CorruptionException.class)
        .hasMessageContaining("MANIFEST-000007");
  }

  @Test
  void recover_ofAHostileComparatorName_escapesIt() throws IOException {
    write(complete().comparatorName("\u001b[2Jevil\u0007").build());
    assertThatThrownBy(this::describeRecovered)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContaining("\\x1b[2Jevil\\x07");
  }

  @Test
  void recover_ofAMillionSmallRecords_ends() throws IOException {
    List<byte[]> records = new ArrayList<>();
    byte[] record = {6, 1, 5};
    for (int i = 0; i < 20_000; i++) {
      records.add(record);
    }
    write(7, records);
    assertThatThrownBy(this::describeRecovered).isInstanceOf(DBException.class);
  }

  @Test
  void recover_ofHostileKeys_survivesThem() throws IOException {
    // The empty user key, and one of nothing but 0xff, are keys like others.
    write(complete().build(), edit("+L0 5:10 @1..c@2", "+L1 6:10 @1..\u00ff@1"));
    assertThat(describeRecovered()).contains("5:10['' @ 1 : 1");
    assertThat(VersionText.key("@1")).hasSize(8);
  }
}

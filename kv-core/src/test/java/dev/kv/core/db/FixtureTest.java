package dev.kv.core.db;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.DBReader;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.ReadOnlyDB;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Directories that C++ LevelDB wrote: each opens, holds what the text beside it says, and can be
 * written to and opened again.
 */
class FixtureTest extends DbTestBase {
  private static final Path FIXTURES = Path.of("src/test/resources/fixtures/leveldb");
  private static final HexFormat HEX = HexFormat.of();

  /** The order of the fixture {@code reverse-comparator}. */
  private static final DBComparator REVERSE =
      new DBComparator() {
        @Override
        public String name() {
          return "fixture.ReverseBytewise";
        }

        @Override
        public int compare(Slice a, Slice b) {
          return b.compareTo(a);
        }
      };

  @ParameterizedTest
  @ValueSource(
      strings = {
        "bloom",
        "extremes",
        "log-only",
        "plain",
        "restart1",
        "restart128",
        "reused-logs",
        "reverse-comparator",
        "snappy-levels",
        "snapshot-versions",
        "zstd"
      })
  void fixture_opened_holdsItsContentAndTakesWrites(String name) throws IOException {
    copyFixture(name);
    Options.Builder builder = Options.builder();
    if (name.equals("reverse-comparator")) {
      builder.comparator(REVERSE);
    }
    if (name.equals("bloom")) {
      builder.filterPolicy(FilterPolicy.bloom(10));
    }
    Options with = builder.build();
    List<String> expected = Files.readAllLines(FIXTURES.resolve(name + ".txt"));
    assertThat(hexReadOnly(with)).isEqualTo(expected);
    open(with);
    assertThat(hex(db)).isEqualTo(expected);
    for (String line : expected) {
      int space = line.indexOf(' ');
      assertThat(db.get(HEX.parseHex(line.substring(0, space))))
          .isEqualTo(HEX.parseHex(line.substring(space + 1)));
    }
    for (boolean reuse : new boolean[] {false, true}) {
      put("a new key", "a new value");
      reopen(with.toBuilder().reuseLogs(reuse).build());
      assertThat(get("a new key")).isEqualTo("a new value");
      delete("a new key");
      compact(null, null);
      assertThat(hex(db)).isEqualTo(expected);
      reopen();
      assertThat(hex(db)).isEqualTo(expected);
    }
  }

  @Test
  void fixture_killedWriter_lostNothing() throws IOException {
    copyFixture("killed");
    int count = Integer.parseInt(Files.readString(FIXTURES.resolve("killed.count")).trim());
    open(Options.DEFAULT);
    for (int round = 0; round < 2; round++) {
      int found = 0;
      try (DBIterator cursor = db.iterator()) {
        for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
          found++;
        }
      }
      assertThat(found).isEqualTo(count);
      for (int i = 0; i < count; i++) {
        assertThat(db.get(("c" + i).getBytes(US_ASCII))).as("c" + i).isNotNull();
      }
      assertThat(db.admin().stats().recovery().droppedBytes()).isZero();
      reopen();
    }
  }

  private void copyFixture(String name) throws IOException {
    Files.createDirectories(directory);
    try (Stream<Path> files = Files.list(FIXTURES.resolve(name))) {
      for (Path file : (Iterable<Path>) files::iterator) {
        Files.write(directory.resolve(file.getFileName()), Files.readAllBytes(file));
      }
    }
  }

  private List<String> hexReadOnly(Options with) throws IOException {
    List<String> before = listing();
    List<String> lines;
    try (ReadOnlyDB readOnly = DB.openReadOnly(directory, with)) {
      lines = hex(readOnly);
    }
    assertThat(listing()).isEqualTo(before);
    return lines;
  }

  private List<String> listing() throws IOException {
    try (Stream<Path> files = Files.list(directory)) {
      List<String> lines = new ArrayList<>();
      for (Path file : (Iterable<Path>) files.sorted()::iterator) {
        lines.add(file.getFileName() + " " + Files.size(file));
      }
      return lines;
    }
  }

  private static List<String> hex(DBReader from) {
    List<String> lines = new ArrayList<>();
    try (DBIterator cursor = from.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        lines.add(HEX.formatHex(cursor.key()) + " " + HEX.formatHex(cursor.value()));
      }
    }
    return lines;
  }
}

package dev.kv.space;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.core.peer.Plyvel;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Spaces and the prefixed databases of plyvel, on C++ LevelDB, are the same. */
class SpacePeerTest {
  private static final HexFormat HEX = HexFormat.of();

  @TempDir Path temp;

  @BeforeAll
  static void findPlyvel() throws InterruptedException {
    assumeTrue(Plyvel.isAvailable(), "Python has no plyvel");
  }

  /** The prefixes of the outer and the inner space, in hexadecimal digits. */
  @ParameterizedTest
  @CsvSource({"757365722f,612f", "ff,ffff", "00,ff", "61ff,00"})
  void space_ofASpace_holdsWhatCppSeesUnderBothPrefixes(String outer, String inner)
      throws Exception {
    Path directory = temp.resolve("db");
    Options options = Options.builder().createIfMissing(true).build();
    List<String> keys = List.of("", "\0", "a", "b\u00ff", "\u00ff", "\u00ff\u00ff");
    List<String> wanted = new ArrayList<>();
    try (DB db = DB.open(directory, options)) {
      Space space = space(db, outer, inner);
      for (String key : keys) {
        db.put(bytes(key), bytes("neighbor"));
        space.store().put(HEX.parseHex(outer), bytes("neighbor"));
      }
      for (String key : keys) {
        space.put(bytes(key), bytes("of kv"));
        wanted.add(key + "=of kv");
      }
      assertThat(entries(space)).isEqualTo(wanted);
    }
    assertThat(plyvel(directory, outer, inner, "01", "fe")).isEqualTo(wanted);
    wanted.add(2, "\u0001=of C++");
    wanted.add(5, "\u00fe=of C++");
    try (DB db = DB.open(directory, options)) {
      assertThat(entries(space(db, outer, inner))).isEqualTo(wanted);
    }
  }

  @Test
  void space_dropped_isEmptyForCpp() throws Exception {
    Path directory = temp.resolve("db");
    List<String> neighbor = new ArrayList<>();
    try (DB db = DB.open(directory, Options.builder().createIfMissing(true).build())) {
      Space dropped = space(db, "61", "62");
      Space kept = space(db, "61", "63");
      for (int i = 0; i < 3000; i++) {
        String key = String.format(Locale.ROOT, "%04d", i);
        dropped.put(bytes(key), bytes("x"));
        kept.put(bytes(key), bytes("y"));
        neighbor.add(key + "=y");
        if (i == 2000) {
          db.admin().flush();
        }
      }
      dropped.drop();
      assertThat(entries(dropped)).isEmpty();
    }
    assertThat(plyvel(directory, "61", "62")).isEmpty();
    assertThat(plyvel(directory, "61", "63")).isEqualTo(neighbor);
  }

  private static Space space(DB db, String outer, String inner) {
    return Space.of(Space.of(db, HEX.parseHex(outer)), HEX.parseHex(inner));
  }

  private static byte[] bytes(String text) {
    return text.getBytes(ISO_8859_1);
  }

  private static List<String> entries(Space space) {
    try (var entries = space.stream(ReadOptions.DEFAULT)) {
      return entries
          .map(
              each ->
                  new String(each.key(), ISO_8859_1) + "=" + new String(each.value(), ISO_8859_1))
          .toList();
    }
  }

  /** Returns what C++ LevelDB reads, and has it then write the given keys. */
  private static List<String> plyvel(Path directory, String... arguments) throws Exception {
    List<String> command = new ArrayList<>(Plyvel.command("/peer/prefixed.py"));
    command.add(directory.toString());
    command.addAll(List.of(arguments));
    Process process =
        new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT).start();
    List<String> entries = new ArrayList<>();
    for (String line :
        new String(process.getInputStream().readAllBytes(), ISO_8859_1).lines().toList()) {
      String[] parts = line.split(" ", -1);
      entries.add(
          new String(HEX.parseHex(parts[0]), ISO_8859_1)
              + "="
              + new String(HEX.parseHex(parts[1]), ISO_8859_1));
    }
    assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
    return entries;
  }
}

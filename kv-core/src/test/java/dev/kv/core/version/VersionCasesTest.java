package dev.kv.core.version;

import static dev.kv.core.Bytes.bytes;
import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.key.KeyRange;
import dev.kv.errors.CorruptionException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the cases under testdata/version: what goes in and comes out of versions, as text. */
final class VersionCasesTest {
  private Version version = Version.empty(VersionText.COMPARATOR, v -> {});

  @ParameterizedTest
  @ValueSource(strings = {"build.txt", "search.txt", "overlap.txt", "placement.txt", "scores.txt"})
  void file_ofCases_givesWhatItSays(String name) {
    for (CaseFile.Case one : CaseFile.read("version/" + name)) {
      assertThat(run(one)).as(one.toString()).isEqualTo(one.expected());
    }
  }

  private String run(CaseFile.Case one) {
    return switch (one.command()) {
      case "version" -> {
        version = Version.empty(VersionText.COMPARATOR, v -> {});
        yield apply(one.input());
      }
      case "edit" -> apply(one.input());
      case "describe" -> version.describe();
      case "find" -> find(one);
      case "covering" -> covering(VersionText.key(one.required("key")));
      case "overlapping" -> overlapping(one);
      case "place" -> place(one);
      case "scores" -> scores();
      case "offset" -> offset(one);
      default -> throw new IllegalArgumentException(one.toString());
    };
  }

  private String apply(List<String> lines) {
    try {
      version = VersionText.apply(version, VersionText.edit(lines));
      return version.describe().replaceAll("--- level \\d ---\n(?! )", "");
    } catch (CorruptionException e) {
      return e.getMessage() + "\n";
    }
  }

  private String find(CaseFile.Case one) {
    byte[] key = VersionText.key(one.required("key"));
    ByteBuffer buffer = direct(key);
    int level = (int) one.number("level", 1);
    int index = version.find(level, buffer, 0, key.length);
    int bound = version.lowerBound(level, buffer, 0, key.length);
    return "holds "
        + (index < 0 ? "none" : version.file(level, index).number())
        + ", at or after "
        + (bound == version.fileCount(level) ? "none" : version.file(level, bound).number())
        + "\n";
  }

  private String covering(byte[] key) {
    List<FileMetadata> files = new ArrayList<>();
    for (int i = 0; i < version.fileCount(0); i++) {
      if (version.levelZeroCovers(i, direct(key), 0, key.length)) {
        files.add(version.file(0, i));
      }
    }
    return files.isEmpty() ? "none\n" : VersionText.numbers(files) + "\n";
  }

  private String overlapping(CaseFile.Case one) {
    int level = (int) one.number("level", 0);
    KeyRange range = new KeyRange(bound(one.argument("begin")), bound(one.argument("end")));
    String numbers = VersionText.numbers(version.overlapping(level, range));
    assertThat(version.overlaps(level, range)).isEqualTo(!numbers.isEmpty());
    return (numbers.isEmpty() ? "none" : numbers) + "\n";
  }

  private static byte @Nullable [] bound(@Nullable String text) {
    return text == null ? null : bytes(text);
  }

  private String place(CaseFile.Case one) {
    Map<Integer, List<KeyRange>> occupied = new HashMap<>();
    for (String line : one.input()) {
      String[] words = line.split(" +");
      String[] keys = words[1].split("\\.\\.");
      occupied
          .computeIfAbsent(VersionText.level(words[0]), level -> new ArrayList<>())
          .add(new KeyRange(bytes(keys[0]), bytes(keys[1])));
    }
    int level =
        version.pickLevelForMemtableOutput(
            new KeyRange(bytes(one.required("from")), bytes(one.required("to"))),
            each -> occupied.getOrDefault(each, List.of()),
            one.number("max-file-size", 100));
    return "L" + level + "\n";
  }

  private String scores() {
    LevelScores scores = LevelScores.of(version, 0, new long[Levels.COUNT]);
    StringBuilder text = new StringBuilder("best L" + scores.ranking().get(0));
    text.append(scores.isCompactionDue() ? ", due\n" : ", not due\n");
    for (int level = 0; level < Levels.COUNT; level++) {
      if (scores.score(level) > 0) {
        text.append("L").append(level).append(' ').append(scores.score(level)).append('\n');
      }
    }
    return text.toString();
  }

  private String offset(CaseFile.Case one) {
    byte[] key = VersionText.key(one.required("key"));
    return version.approximateOffsetOf(
            direct(key), 0, key.length, (file, target, offset, length) -> 1)
        + "\n";
  }
}

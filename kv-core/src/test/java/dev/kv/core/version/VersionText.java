package dev.kv.core.version;

import static dev.kv.core.Bytes.bytes;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.key.ValueKind;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.stream.Collectors;

/**
 * Keys, tables, edits and versions as the text of test cases has them: {@code user@sequence}, with
 * {@code :d} behind a tombstone; {@code L1 7:100 a@5..c@2} for table 7 of 100 bytes in level 1; the
 * same with a plus for an addition, and {@code -L1 7} for a deletion.
 */
public final class VersionText {
  public static final InternalKeyComparator COMPARATOR =
      new InternalKeyComparator(DBComparator.bytewise());

  private VersionText() {}

  public static byte[] key(String text) {
    int at = text.indexOf('@');
    boolean deletion = text.endsWith(":d");
    String sequence = text.substring(at + 1, deletion ? text.length() - 2 : text.length());
    return InternalKey.encode(
        bytes(text.substring(0, at)),
        Long.parseLong(sequence),
        deletion ? ValueKind.DELETION : ValueKind.VALUE);
  }

  public static String text(byte[] internalKey) {
    long tag = InternalKey.tag(internalKey);
    return new String(InternalKey.userKey(internalKey), StandardCharsets.UTF_8)
        + "@"
        + InternalKey.sequence(tag)
        + (InternalKey.kindCode(tag) == 0 ? ":d" : "");
  }

  /** Returns a direct buffer with the bytes, in the byte order of the engine. */
  public static int level(String word) {
    return Integer.parseInt(word.substring(word.indexOf('L') + 1));
  }

  /** Parses {@code 7:100 a@5..c@2}. */
  public static FileMetadata file(String numberAndSize, String range) {
    String[] numbers = numberAndSize.split(":");
    String[] keys = range.split("\\.\\.");
    return new FileMetadata(
        Long.parseLong(numbers[0]), Long.parseLong(numbers[1]), key(keys[0]), key(keys[1]));
  }

  public static VersionEdit edit(List<String> lines) {
    VersionEdit.Builder edit = VersionEdit.builder();
    for (String line : lines) {
      String[] words = line.split(" +");
      if (line.startsWith("-")) {
        edit.deleteFile(level(words[0]), Long.parseLong(words[1]));
      } else {
        edit.addFile(level(words[0]), file(words[1], words[2]));
      }
    }
    return edit.build();
  }

  /** Returns what comes of an edit of {@code base}. */
  public static Version apply(Version base, VersionEdit edit) {
    VersionBuilder builder = new VersionBuilder(base, "MANIFEST-test");
    builder.apply(edit);
    return builder.build(version -> {});
  }

  public static Version version(List<String> lines) {
    return apply(Version.empty(COMPARATOR, version -> {}), edit(lines));
  }

  public static String numbers(List<FileMetadata> files) {
    return files.stream().map(f -> Long.toString(f.number())).collect(Collectors.joining(" "));
  }
}

package dev.kv.core.compaction;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Bytes;
import dev.kv.core.key.KeyBuffer;
import dev.kv.core.key.KeyRange;
import dev.kv.core.key.UserKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.OffHeapBuffer;
import dev.kv.core.version.CaseFile;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.core.version.Version;
import dev.kv.core.version.VersionText;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Runs the cases under testdata/compaction: what is picked, what survives, where outputs end. */
final class CompactionCasesTest {
  private Version version = VersionText.version(List.of());
  private RunningJobs running = new RunningJobs(VersionText.COMPARATOR.userComparator());
  private final byte @Nullable [][] pointers = new byte @Nullable [Levels.COUNT][];
  private final Map<String, Compaction> started = new HashMap<>();
  private @Nullable Compaction picked;

  @ParameterizedTest
  @ValueSource(strings = {"pick.txt", "manual.txt", "parallel.txt", "survive.txt", "split.txt"})
  void file_ofCases_givesWhatItSays(String name) {
    for (CaseFile.Case one : CaseFile.read("compaction/" + name)) {
      assertThat(run(one)).as(one.toString()).isEqualTo(one.expected());
    }
  }

  private String run(CaseFile.Case one) {
    return switch (one.command()) {
      case "version" -> {
        version = VersionText.version(one.input());
        running = new RunningJobs(VersionText.COMPARATOR.userComparator());
        Arrays.fill(pointers, null);
        yield "";
      }
      case "edit" -> {
        version = VersionText.apply(version, VersionText.edit(one.input()));
        yield "";
      }
      case "pointer" -> {
        pointers[(int) one.number("level", 0)] = VersionText.key(one.required("key"));
        yield "";
      }
      case "seek" -> seek(one.number("number", 0));
      case "pick" -> pick(one);
      case "manual" ->
          describe(
              picker(one).pickManual(version, running, (int) one.number("level", 0), range(one)));
      case "rewrite" ->
          describe(
              picker(one)
                  .pickRewrite(
                      version,
                      running,
                      (int) one.number("level", 0),
                      range(one),
                      numbers(one.required("tables"))));
      case "start" -> start(one.required("as"));
      case "end" -> end(one.required("as"));
      case "occupy" -> occupy(one);
      case "survive" -> survive(one);
      case "split" -> split(one);
      default -> throw new IllegalArgumentException(one.toString());
    };
  }

  private static KeyRange range(CaseFile.Case one) {
    return new KeyRange(bytes(one.argument("begin")), bytes(one.argument("end")));
  }

  private static Set<Long> numbers(String list) {
    return Arrays.stream(list.split(",")).map(Long::valueOf).collect(Collectors.toSet());
  }

  private String seek(long number) {
    for (int level = 0; level < Levels.COUNT; level++) {
      for (FileMetadata file : version.files(level)) {
        while (file.number() == number && file.allowedSeeks() > 0) {
          version.recordSeek(level, file);
        }
      }
    }
    return "";
  }

  private static CompactionPicker picker(CaseFile.Case one) {
    boolean seeks = !"off".equals(one.argument("seek"));
    return new CompactionPicker(one.number("max-file-size", 2 << 20), seeks);
  }

  private String pick(CaseFile.Case one) {
    picked = picker(one).pick(version, running, Arrays.asList(pointers));
    return picked == null ? "nothing\n" : describe(picked);
  }

  private String describe(ManualPick pick) {
    picked = pick.compaction();
    String next =
        pick.nextBegin() == null
            ? "last"
            : "next from " + new String(pick.nextBegin(), StandardCharsets.UTF_8);
    return pick.blocked()
        ? "blocked\n"
        : picked == null ? "nothing\n" : describe(picked) + next + "\n";
  }

  private static byte @Nullable [] bytes(@Nullable String text) {
    return text == null ? null : Bytes.bytes(text);
  }

  private static String describe(Compaction compaction) {
    KeyRange keys = compaction.keys();
    return compaction.reason()
        + " L"
        + compaction.level()
        + ": "
        + numbers(compaction.inputs())
        + (compaction.isRewrite() ? " in place" : "")
        + " with "
        + numbers(compaction.nextLevelInputs())
        + " over "
        + numbers(compaction.grandparents())
        + (compaction.isTrivialMove() ? ", a move" : "")
        + "\n"
        + new String(keys.smallest(), StandardCharsets.UTF_8)
        + ".."
        + new String(keys.largest(), StandardCharsets.UTF_8)
        + ", pointer "
        + VersionText.text(compaction.compactPointer())
        + "\n";
  }

  private static String numbers(List<FileMetadata> files) {
    return files.isEmpty() ? "none" : VersionText.numbers(files);
  }

  private String start(String name) {
    assertThat(picked).isNotNull();
    started.put(name, picked);
    running.start(picked);
    return "";
  }

  private String end(String name) {
    running.end(started.remove(name), true);
    return "";
  }

  private String occupy(CaseFile.Case one) {
    running.occupy(
        (int) one.number("level", 0),
        new KeyRange(bytes(one.required("from")), bytes(one.required("to"))));
    return "";
  }

  private String survive(CaseFile.Case one) {
    String list = one.argument("snapshots");
    long[] snapshots =
        list == null
            ? new long[0]
            : Arrays.stream(list.split(",")).mapToLong(Long::parseLong).toArray();
    EntryList input = new EntryList(one.input());
    StringBuilder text = new StringBuilder();
    try (OffHeapBuffer memory = new OffHeapBuffer(new OffHeapBudget(0), 8)) {
      UserKeyComparator comparator = VersionText.COMPARATOR.userComparator();
      BaseLevelCheck deeper = new BaseLevelCheck(version, (int) one.number("below", 1) + 1);
      CompactionIterator iterator =
          new CompactionIterator(
              input, snapshots, deeper, comparator, new KeyBuffer(memory), "inputs", () -> false);
      while (iterator.next()) {
        byte[] key = new byte[input.keyLength()];
        input.keyBuffer().get(input.keyOffset(), key);
        byte[] value = new byte[input.valueLength()];
        input.valueBuffer().get(input.valueOffset(), value);
        String entry = VersionText.text(key) + " " + new String(value, StandardCharsets.UTF_8);
        text.append(entry.trim()).append('\n');
      }
    }
    return text.toString();
  }

  private String split(CaseFile.Case one) {
    List<FileMetadata> grandparents = version.files((int) one.number("grandparents", 3));
    OutputSplitter splitter =
        new OutputSplitter(
            VersionText.COMPARATOR.userComparator(),
            grandparents,
            one.number("max-file-size", 100));
    List<String> outputs = new ArrayList<>();
    StringBuilder open = new StringBuilder();
    long bytes = 0;
    for (String line : one.input()) {
      String[] words = line.split(" +");
      byte[] key = bytes(words[0]);
      if (splitter.splitsBefore(direct(key), 0, key.length, bytes) && bytes > 0) {
        outputs.add(open.toString().trim());
        open.setLength(0);
        bytes = 0;
      }
      open.append(words[0]).append(' ');
      bytes += Long.parseLong(words[1]);
    }
    outputs.add(open.toString().trim());
    return String.join("\n", outputs) + "\n";
  }
}

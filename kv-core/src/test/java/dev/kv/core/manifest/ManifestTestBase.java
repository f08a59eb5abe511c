package dev.kv.core.manifest;

import dev.kv.core.LogFiles;
import dev.kv.core.env.FileEnv;
import dev.kv.core.env.FileNames;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.core.version.VersionText;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;

/** A directory and version sets over it. */
abstract class ManifestTestBase {
  static final long MAX_FILE_SIZE = 2 << 20;

  @TempDir Path directory;
  final Env files = new FileEnv();
  final RecordingEnv env = new RecordingEnv(files);

  ManifestContext context(Env over, long maxFileSize, boolean reuse) {
    return new ManifestContext(
        over, directory, VersionText.COMPARATOR, new OffHeapBudget(0), maxFileSize, reuse);
  }

  ManifestContext context() {
    return context(env, MAX_FILE_SIZE, false);
  }

  VersionSet recovered(ManifestContext context) {
    VersionSet set = new VersionSet(context, () -> {});
    try {
      set.recover(false);
    } catch (RuntimeException e) {
      set.close();
      throw e;
    }
    return set;
  }

  /**
   * Creates a database and opens it as the database does: with the edit that begins its first log.
   */
  VersionSet created() {
    NewDatabase.create(context());
    VersionSet set = recovered(context());
    set.logAndApply(VersionEdit.builder().logNumber(set.newFileNumber()).build());
    return set;
  }

  static VersionEdit edit(String... lines) {
    return VersionText.edit(List.of(lines));
  }

  /** Returns what a recovery finds. */
  String describeRecovered() {
    try (VersionSet set = recovered(context(files, MAX_FILE_SIZE, false))) {
      return describe(set);
    }
  }

  static String describe(VersionSet set) {
    return set.current().describe()
        + "log "
        + set.logNumber()
        + " last "
        + set.lastSequence()
        + " pointers "
        + set.compactPointers().stream()
            .map(key -> key == null ? "-" : VersionText.text(key))
            .toList();
  }

  TreeSet<String> names() {
    try (Stream<Path> children = Files.list(directory)) {
      TreeSet<String> names = new TreeSet<>();
      children.forEach(child -> names.add(child.getFileName().toString()));
      return names;
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  Path manifest(long number) {
    return FileNames.manifest(directory, number);
  }

  /** Writes a MANIFEST of the given records, and CURRENT for it. */
  void write(long number, List<byte[]> records) throws IOException {
    LogFiles.write(files, manifest(number), records.toArray(new byte[0][]));
    current(manifest(number).getFileName() + "\n");
  }

  void write(VersionEdit... edits) throws IOException {
    write(7, Stream.of(edits).map(VersionEditCodec::encode).toList());
  }

  void current(String content) throws IOException {
    Files.writeString(FileNames.current(directory), content);
  }

  /** Returns an edit that sets all that a MANIFEST needs. */
  static VersionEdit.Builder complete() {
    return VersionEdit.builder()
        .comparatorName("leveldb.BytewiseComparator")
        .logNumber(3)
        .nextFileNumber(50)
        .lastSequence(1000);
  }
}

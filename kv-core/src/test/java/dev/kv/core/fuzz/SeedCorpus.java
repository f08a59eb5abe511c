package dev.kv.core.fuzz;

import dev.kv.DB;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.EnvFiles;
import dev.kv.core.LogFiles;
import dev.kv.core.batch.EncodedBatch;
import dev.kv.core.codec.MaskedCrc32c;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.version.VersionEditCodec;
import dev.kv.env.Env;
import dev.kv.options.CompressionType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;

/**
 * Writes the part of the corpus that consists of undamaged files: a directory for each target,
 * below the given directory. Inputs that fuzzing finds are added there by hand.
 */
final class SeedCorpus {
  private static final Path DIRECTORY = Path.of("/db");
  private static final int[] MODES = {0, 1, 2, 5, 8, 0x11, 0x20, 0x31};

  private final Path target;

  private SeedCorpus(Path target) {
    this.target = target;
  }

  /** Writes into {@code args[0]}. */
  public static void main(String[] args) throws IOException {
    new SeedCorpus(Path.of(args[0])).write();
  }

  private void write() throws IOException {
    for (CompressionType compression :
        new CompressionType[] {CompressionType.NONE, CompressionType.SNAPPY}) {
      String name = compression.name().toLowerCase(Locale.ROOT);
      Map<String, byte[]> files = database(compression);
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      for (Map.Entry<String, byte[]> file : files.entrySet()) {
        all.writeBytes(FileSet.encode(file.getKey(), file.getValue()));
      }
      for (int modes : MODES) {
        String suffix = name + "-" + Integer.toHexString(modes);
        add("directory", suffix, with(modes, all.toByteArray()));
        add("repairAndDump", suffix, with(modes, all.toByteArray()));
      }
      byte[] table = files.get("000005.ldb");
      byte[] log = files.get("000006.log");
      for (int modes : new int[] {0, 1, 2, 4, 5, 8, 9, 13}) {
        add("table", name + "-" + modes, with(modes, table));
        add("logReader", name + "-" + modes, with(modes, log));
        add("logReader", name + "-manifest-" + modes, with(modes, files.get("MANIFEST-000002")));
      }
      if (compression == CompressionType.NONE) {
        byte[] block = Arrays.copyOf(table, blockEnd(table));
        add("blockIterator", "internal", with(2, block));
        add("blockIterator", "user", with(0, block));
      }
    }
    add("logReader", "fragments", with(1, fragments()));
    edits();
    batches();
    names();
  }

  private static byte[] with(int modes, byte[] rest) {
    byte[] input = new byte[1 + rest.length];
    input[0] = (byte) modes;
    System.arraycopy(rest, 0, input, 1, rest.length);
    return input;
  }

  /**
   * Returns the end of the first data block. It is followed by a zero, which means no compression,
   * and by a checksum.
   */
  private static int blockEnd(byte[] table) {
    for (int end = 8; end < table.length; end++) {
      byte[] sealed = table.clone();
      sealed[end] = 0;
      MaskedCrc32c crc = new MaskedCrc32c();
      crc.update(ByteBuffer.wrap(sealed), 0, end + 1);
      int stored = ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN).getInt(end + 1);
      if (crc.maskedValue() == stored) {
        return end;
      }
    }
    throw new AssertionError("no block");
  }

  /** Returns the files of a small database with two tables, a log and deleted keys. */
  private static Map<String, byte[]> database(CompressionType compression) throws IOException {
    Env env = Env.inMemory();
    Options options =
        Options.builder()
            .createIfMissing(true)
            .env(env)
            .blockSize(256)
            .blockRestartInterval(4)
            .filterPolicy(FilterPolicy.bloom(10))
            .compression(compression)
            .build();
    try (DB db = DB.open(DIRECTORY, options)) {
      for (int i = 0; i < 24; i++) {
        db.put(key(i), ("value " + i).repeat(1 + i % 3).getBytes(StandardCharsets.US_ASCII));
      }
      db.admin().flush();
      for (int i = 0; i < 8; i++) {
        db.delete(key(3 * i));
        db.put(key(100 + i), new byte[i]);
      }
      db.admin().flush();
      db.write(
          WriteOptions.SYNC,
          WriteBatch.create().put(key(1), key(2)).delete(key(4)).put(new byte[0], new byte[0]));
      db.put(key(200), new byte[300]);
    }
    Map<String, byte[]> files = new TreeMap<>();
    for (String name : env.list(DIRECTORY)) {
      if (FileSet.NAMES.contains(name) && !name.equals("CURRENT")) {
        files.put(name, EnvFiles.read(env, DIRECTORY.resolve(name)));
      }
    }
    return files;
  }

  /** Returns a log with a record that is larger than a block, followed by another record. */
  private static byte[] fragments() throws IOException {
    Env env = Env.inMemory();
    Options options = Options.builder().createIfMissing(true).env(env).build();
    try (DB db = DB.open(DIRECTORY, options)) {
      db.put(key(1), new byte[33 << 10]);
      db.put(key(2), key(3));
    }
    for (String name : env.list(DIRECTORY)) {
      if (name.endsWith(".log")) {
        return EnvFiles.read(env, DIRECTORY.resolve(name));
      }
    }
    throw new AssertionError("no log");
  }

  private void edits() throws IOException {
    byte[] smallest = InternalKey.encode(key(1), 3, ValueKind.VALUE);
    byte[] largest = InternalKey.encode(key(9), 1, ValueKind.DELETION);
    VersionEdit edit =
        VersionEdit.builder()
            .comparatorName("leveldb.BytewiseComparator")
            .logNumber(4)
            .previousLogNumber(0)
            .nextFileNumber(9)
            .lastSequence(1L << 40)
            .compactPointer(2, largest)
            .deleteFile(1, 5)
            .addFile(3, new FileMetadata(7, 1234, smallest, largest))
            .build();
    add("versionEdit", "every-field", VersionEditCodec.encode(edit));
    add("versionEdit", "empty", new byte[0]);
    add("versionEdit", "rocksdb", new byte[] {103, 1, 2});
  }

  private void batches() throws IOException {
    EncodedBatch batch = new EncodedBatch();
    batch.put(key(1), key(2)).delete(key(3)).put(new byte[0], new byte[200]);
    add("batch", "three", LogFiles.record(77, batch));
    add("batch", "empty", new byte[EncodedBatch.HEADER]);
  }

  private void names() throws IOException {
    String[] names = {
      "CURRENT",
      "LOCK",
      "LOG",
      "LOG.old",
      "MANIFEST-000002",
      "000003.log",
      "000005.ldb",
      "7.sst",
      "000009.dbtmp",
      "18446744073709551616.log",
      "9223372036854775807.ldb",
      "MANIFEST-",
      ".log",
      "1x.log",
      "MANIFEST-3\n",
      "../CURRENT",
      "+3.log",
      "00.ldb.old"
    };
    for (int i = 0; i < names.length; i++) {
      add("fileNames", "name-" + i, names[i].getBytes(StandardCharsets.UTF_8));
    }
  }

  private static byte[] key(int i) {
    return ("key" + i).getBytes(StandardCharsets.US_ASCII);
  }

  private void add(String name, String seed, byte[] input) throws IOException {
    Path directory = target.resolve(name);
    Files.createDirectories(directory);
    Files.write(directory.resolve(seed), input);
  }
}

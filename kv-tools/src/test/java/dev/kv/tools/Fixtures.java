package dev.kv.tools;

import dev.kv.core.codec.MaskedCrc32c;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import java.util.zip.CRC32C;

/** Databases that C++ LevelDB wrote, copied so that a test may change them. */
public final class Fixtures {
  private static final Path FIXTURES = Path.of("../kv-core/src/test/resources/fixtures/leveldb");

  private Fixtures() {}

  /** Copies a fixture into a directory of its name under {@code temp}, and returns that. */
  public static Path copy(String name, Path temp) throws IOException {
    return copy(FIXTURES.resolve(name), temp);
  }

  /** Copies a directory into one of the same name under {@code temp}, and returns the copy. */
  public static Path copy(Path directory, Path temp) throws IOException {
    Path copy = Files.createDirectory(temp.resolve(directory.getFileName()));
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.toList()) {
        Files.copy(file, copy.resolve(file.getFileName().toString()));
      }
    }
    return copy;
  }

  /** Returns a directory under {@code temp} that holds only the log of the fixture log-only. */
  public static Path onlyTheLog(Path temp) throws IOException {
    Path dir = Files.createDirectory(temp.resolve("lost"));
    Files.move(copy("log-only", temp).resolve("000003.log"), dir.resolve("000003.log"));
    return dir;
  }

  /** Returns the entries that a fixture holds, as lines of the format hex in the order of bytes. */
  public static List<String> entries(String name) throws IOException {
    return Files.readAllLines(FIXTURES.resolve(name + ".txt"));
  }

  /** Returns a log that consists of one short record. */
  public static byte[] record(byte[] payload) {
    ByteBuffer log = ByteBuffer.allocate(7 + payload.length).order(ByteOrder.LITTLE_ENDIAN);
    CRC32C crc = new CRC32C();
    crc.update(1);
    crc.update(payload);
    log.putInt(MaskedCrc32c.mask((int) crc.getValue()));
    log.putShort((short) payload.length).put((byte) 1).put(payload);
    return log.array();
  }

  /** Inverts one bit of a file. */
  public static void damage(Path file, long offset) throws IOException {
    try (RandomAccessFile bytes = new RandomAccessFile(file.toFile(), "rw")) {
      bytes.seek(offset);
      int old = bytes.read();
      bytes.seek(offset);
      bytes.write(old ^ 0x10);
    }
  }

  /** Returns the names, sizes, times and contents' hashes of a directory's files. */
  public static String listing(Path directory) throws IOException {
    StringBuilder text = new StringBuilder();
    try (Stream<Path> files = Files.list(directory)) {
      for (Path file : files.sorted().toList()) {
        text.append(file.getFileName())
            .append(' ')
            .append(Files.size(file))
            .append(' ')
            .append(Files.getLastModifiedTime(file))
            .append(' ')
            .append(java.util.Arrays.hashCode(Files.readAllBytes(file)))
            .append('\n');
      }
    }
    return text.toString();
  }
}

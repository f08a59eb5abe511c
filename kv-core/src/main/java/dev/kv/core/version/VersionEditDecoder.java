package dev.kv.core.version;

import dev.kv.bytes.Escape;
import dev.kv.core.codec.Varint;
import dev.kv.core.key.InternalKey;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.UnsupportedFormatException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.util.HashSet;
import java.util.Set;

/**
 * Decodes one version edit; {@link VersionEditCodec} has the grammar. Every length is checked
 * against the end of the record before memory is allocated for it, so decoding needs at most a
 * small multiple of the record's size.
 */
final class VersionEditDecoder {
  private static final int FIRST_ROCKSDB_TAG = 100;
  private static final int ROCKSDB_DATABASE_ID = 8193;

  private final ByteBuffer record;
  private final int limit;
  private final String file;
  private final long fileOffset;
  private final VersionEdit.Builder edit = VersionEdit.builder();
  private final Set<Long> newNumbers = new HashSet<>();
  private final Set<VersionEdit.DeletedFile> deletedFiles = new HashSet<>();
  private int at;
  private int seenNumbers;

  VersionEditDecoder(ByteBuffer record, int length, String file, long fileOffset) {
    this.record = record;
    this.limit = length;
    this.file = file;
    this.fileOffset = fileOffset;
  }

  VersionEdit decode() {
    while (at < limit) {
      decodeField(varint32("tag"));
    }
    return edit.build();
  }

  private void decodeField(int tag) {
    switch (tag) {
      case VersionEditCodec.COMPARATOR -> {
        once(tag, "comparator");
        edit.comparatorName(utf8("comparator"));
      }
      case VersionEditCodec.LOG_NUMBER -> edit.logNumber(numberOnce(tag, "log number"));
      case VersionEditCodec.PREVIOUS_LOG_NUMBER ->
          edit.previousLogNumber(numberOnce(tag, "previous log number"));
      case VersionEditCodec.NEXT_FILE_NUMBER ->
          edit.nextFileNumber(numberOnce(tag, "next file number"));
      case VersionEditCodec.LAST_SEQUENCE -> {
        once(tag, "last sequence");
        edit.lastSequence(sequence());
      }
      case VersionEditCodec.COMPACT_POINTER ->
          edit.compactPointer(level(), internalKey("compact pointer"));
      case VersionEditCodec.DELETED_FILE -> decodeDeletedFile();
      case VersionEditCodec.NEW_FILE -> decodeNewFile();
      default -> throw unknown(tag);
    }
  }

  private void decodeDeletedFile() {
    VersionEdit.DeletedFile deleted =
        new VersionEdit.DeletedFile(level(), number("deleted table's number"));
    if (!deletedFiles.add(deleted)) {
      throw corruption("table " + deleted.number() + " is deleted twice");
    }
    edit.deleteFile(deleted.level(), deleted.number());
  }

  private void decodeNewFile() {
    int level = level();
    long number = number("new table's number");
    long size = number("new table's size");
    byte[] smallest = internalKey("smallest key");
    byte[] largest = internalKey("largest key");
    if (!newNumbers.add(number)) {
      throw corruption("table " + number + " is added twice");
    }
    edit.addFile(level, new FileMetadata(number, size, smallest, largest));
  }

  /**
   * Returns the failure for a tag of another format. RocksDB writes its own tags after a number
   * that LevelDB has, too; its first edit may begin with the identity of the database. Other bytes
   * are no edit: a MANIFEST overwritten by a log begins with a sequence number, which looks like
   * any tag.
   */
  private RuntimeException unknown(int tag) {
    boolean hasNumber = (seenNumbers & ~(1 << VersionEditCodec.COMPARATOR)) != 0;
    if (tag >= FIRST_ROCKSDB_TAG && (hasNumber || isIdentity(tag))) {
      return new UnsupportedFormatException(
          "the MANIFEST "
              + Escape.text(file)
              + " holds tag "
              + tag
              + ", which only RocksDB writes: this is a RocksDB database; open it with RocksDB");
    }
    return corruption("unknown tag " + Integer.toUnsignedString(tag));
  }

  private boolean isIdentity(int tag) {
    return tag == ROCKSDB_DATABASE_ID && utf8("identity").matches("[0-9A-Za-z-]{8,}");
  }

  private void once(int tag, String what) {
    if ((seenNumbers & 1 << tag) != 0) {
      throw corruption(what + " is set twice");
    }
    seenNumbers |= 1 << tag;
  }

  private int level() {
    int level = varint32("level");
    if (level < 0 || level >= Levels.COUNT) {
      throw corruption(
          "level " + Integer.toUnsignedString(level) + " is not below " + Levels.COUNT);
    }
    return level;
  }

  private long sequence() {
    long sequence = varint64("last sequence");
    if (sequence < 0 || sequence > InternalKey.MAX_SEQUENCE) {
      throw corruption(
          "last sequence "
              + Long.toUnsignedString(sequence)
              + " is beyond "
              + InternalKey.MAX_SEQUENCE);
    }
    return sequence;
  }

  /**
   * Reads the number of a file or a number of bytes; the counter of file numbers must not overflow.
   */
  private long numberOnce(int tag, String what) {
    once(tag, what);
    return number(what);
  }

  private long number(String what) {
    long number = varint64(what);
    if (number < 0 || number > Long.MAX_VALUE / 2) {
      throw corruption(what + " " + Long.toUnsignedString(number) + " is too large");
    }
    return number;
  }

  private byte[] internalKey(String what) {
    byte[] key = bytes(what);
    if (!InternalKey.isWellFormed(key)) {
      throw corruption(what + " is not an internal key");
    }
    return key;
  }

  private String utf8(String what) {
    byte[] bytes = bytes(what);
    try {
      return StandardCharsets.UTF_8.newDecoder().decode(ByteBuffer.wrap(bytes)).toString();
    } catch (CharacterCodingException e) {
      throw new CorruptionException("version edit: " + what + " is not UTF-8", file, fileOffset, e);
    }
  }

  private byte[] bytes(String what) {
    int length = varint32(what);
    if (length < 0 || length > limit - at) {
      throw corruption(
          what + " of " + Integer.toUnsignedString(length) + " bytes ends after the record");
    }
    byte[] bytes = new byte[length];
    record.get(at, bytes);
    at += length;
    return bytes;
  }

  private int varint32(String what) {
    long result = Varint.get32(record, at, limit);
    if (result == Varint.MALFORMED) {
      throw corruption(what + " is truncated or not a number");
    }
    at = Varint.next32(result);
    return Varint.value32(result);
  }

  private long varint64(String what) {
    int end = Varint.end64(record, at, limit);
    if (end == Varint.MALFORMED) {
      throw corruption(what + " is truncated or not a number");
    }
    long value = Varint.get64(record, at, end);
    at = end;
    return value;
  }

  private CorruptionException corruption(String message) {
    return new CorruptionException(
        "version edit, " + at + " bytes into the record: " + message, file, fileOffset);
  }
}

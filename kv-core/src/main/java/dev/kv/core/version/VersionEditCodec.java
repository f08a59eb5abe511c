package dev.kv.core.version;

import dev.kv.core.codec.Varint;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;

/**
 * Encodes and decodes version edits. An edit is one record of the MANIFEST.
 *
 * <pre>
 * edit    := field*
 * field   := 1 bytes                        comparator's name
 *          | 2 varint64                     log number
 *          | 3 varint64                     next file number
 *          | 4 varint64                     last sequence
 *          | 5 level bytes                  compact pointer, an internal key
 *          | 6 level varint64               table that is removed
 *          | 7 level varint64 varint64 bytes bytes
 *                                           table that is added: number, size, smallest, largest
 *          | 9 varint64                     previous log number
 * level   := varint32, below 7
 * bytes   := varint32 length, then that many bytes
 * </pre>
 *
 * The tags are varint32. 8 was used long ago and no writer writes it; tags from 100 on are
 * RocksDB's.
 */
public final class VersionEditCodec {
  static final int COMPARATOR = 1;
  static final int LOG_NUMBER = 2;
  static final int NEXT_FILE_NUMBER = 3;
  static final int LAST_SEQUENCE = 4;
  static final int COMPACT_POINTER = 5;
  static final int DELETED_FILE = 6;
  static final int NEW_FILE = 7;
  static final int PREVIOUS_LOG_NUMBER = 9;

  private VersionEditCodec() {}

  /** Returns the bytes of an edit, its fields in the order in which LevelDB writes them. */
  public static byte[] encode(VersionEdit edit) {
    Output out = new Output();
    String name = edit.comparatorName();
    if (name != null) {
      out.tag(COMPARATOR).bytes(name.getBytes(StandardCharsets.UTF_8));
    }
    out.number(LOG_NUMBER, edit.logNumber());
    out.number(PREVIOUS_LOG_NUMBER, edit.previousLogNumber());
    out.number(NEXT_FILE_NUMBER, edit.nextFileNumber());
    out.number(LAST_SEQUENCE, edit.lastSequence());
    for (VersionEdit.CompactPointer pointer : edit.compactPointers()) {
      out.tag(COMPACT_POINTER).varint(pointer.level()).bytes(pointer.key());
    }
    for (VersionEdit.DeletedFile deleted : edit.deletedFiles()) {
      out.tag(DELETED_FILE).varint(deleted.level()).varint(deleted.number());
    }
    for (VersionEdit.NewFile added : edit.newFiles()) {
      FileMetadata file = added.file();
      out.tag(NEW_FILE).varint(added.level()).varint(file.number()).varint(file.size());
      out.bytes(file.smallest()).bytes(file.largest());
    }
    return out.toByteArray();
  }

  /**
   * Returns the edit in a record.
   *
   * @param record a buffer that begins with the record
   * @param file the MANIFEST's name, for messages
   * @param fileOffset the offset of the record in that file, for messages
   * @throws dev.kv.errors.CorruptionException if the bytes are not an edit
   * @throws dev.kv.errors.UnsupportedFormatException if they are an edit of RocksDB
   */
  public static VersionEdit decode(ByteBuffer record, int length, String file, long fileOffset) {
    return new VersionEditDecoder(record, length, file, fileOffset).decode();
  }

  /** A growing array that takes the parts of an edit. */
  private static final class Output extends ByteArrayOutputStream {
    private final byte[] scratch = new byte[Varint.MAX_64];

    Output tag(int tag) {
      return varint(tag);
    }

    Output varint(long value) {
      write(scratch, 0, Varint.put64(scratch, 0, value));
      return this;
    }

    Output bytes(byte[] bytes) {
      varint(bytes.length);
      writeBytes(bytes);
      return this;
    }

    void number(int tag, long value) {
      if (value != VersionEdit.UNSET) {
        tag(tag).varint(value);
      }
    }
  }
}

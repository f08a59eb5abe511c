package dev.kv.core.table.cache;

import dev.kv.bytes.Escape;
import dev.kv.core.env.MappedBytes;
import dev.kv.core.env.UnneededFile;
import dev.kv.core.logging.EngineLogger;
import dev.kv.core.table.format.BlockHandle;
import dev.kv.core.table.format.BlockWriter;
import dev.kv.core.table.format.Footer;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * An open table file, with its name for messages and its size, against which all offsets are
 * checked. Thread-safe.
 */
public final class TableFile {
  private static final EngineLogger LOG = EngineLogger.of(TableFile.class);

  private final RandomAccessFile file;
  private final String name;
  private final long size;
  private final MappingQuota quota;
  private final boolean mapped;

  private TableFile(
      RandomAccessFile file, String name, long size, MappingQuota quota, boolean mapped) {
    this.file = file;
    this.name = name;
    this.size = size;
    this.quota = quota;
    this.mapped = mapped;
  }

  /** Opens a file; maps it if {@code quota} allows one more. */
  public static TableFile open(Env env, Path path, MappingQuota quota) throws IOException {
    boolean mapped = quota.take();
    RandomAccessFile file = null;
    try {
      file = env.openRandomAccess(path, mapped);
      boolean unused = mapped && file.mappedBytes() == 0;
      if (unused) {
        mapped = false;
        quota.release();
      }
      TableFile opened = new TableFile(file, path.toString(), file.size(), quota, mapped);
      quota.count(file.mappedBytes());
      return opened;
    } catch (Throwable e) {
      if (file != null) {
        UnneededFile.close(file, path, LOG);
      }
      if (mapped) {
        quota.release();
      }
      throw e;
    }
  }

  /** Returns an open file that is not mapped. */
  public static TableFile of(RandomAccessFile file, String name) {
    return new TableFile(file, name, file.size(), new MappingQuota(0), false);
  }

  /** Returns this file limited to {@code expected} bytes; throws if it is shorter. */
  public TableFile ofSize(long expected) {
    if (size < expected) {
      throw new CorruptionException(
          "table file has " + size + " bytes and not the " + expected + " of the MANIFEST",
          name,
          size);
    }
    return new TableFile(file, name, expected, quota, mapped);
  }

  /** Returns the bytes of the file in memory, or null if it is not mapped. */
  public @Nullable MappedBytes mapped() {
    return file instanceof MappedBytes bytes ? bytes : null;
  }

  /** Returns the path, for messages. */
  public String name() {
    return name;
  }

  /** Returns the table's size. */
  public long size() {
    return size;
  }

  /** Copies {@code length} bytes at {@code offset} into {@code into} at 0. */
  public void read(long offset, ByteBuffer into, int length) {
    read(offset, into, 0, length);
  }

  /** Copies {@code length} bytes at {@code offset} into {@code into} at {@code at}. */
  public void read(long offset, ByteBuffer into, int at, int length) {
    int count;
    try {
      count = file.read(offset, into, at, length);
    } catch (IOException e) {
      throw new DBIOException(
          "cannot read " + length + " bytes at " + offset + " of " + Escape.text(name) + ": " + e,
          e);
    }
    if (count != length) {
      throw new CorruptionException("table file ends inside a block", name, offset);
    }
  }

  /** Reads the footer, through {@code scratch}, which has room for it. */
  public Footer readFooter(ByteBuffer scratch) {
    if (size < Footer.SIZE) {
      throw new CorruptionException(
          "a file of " + size + " bytes is too short for a table", name, 0);
    }
    long offset = size - Footer.SIZE;
    read(offset, scratch, Footer.SIZE);
    return Footer.decode(scratch, name, offset);
  }

  /**
   * Returns the size in {@code handle}, which was read at {@code from}. Checks that the block and
   * its trailer are inside the file.
   */
  public int checkedSize(BlockHandle handle, long from) {
    requireInside(handle.offset(), handle.size(), from);
    return (int) handle.size();
  }

  /** Throws unless a block and its trailer are inside the file. */
  public void requireInside(long offset, long blockSize, long from) {
    long most = Math.min(size, Integer.MAX_VALUE - Long.BYTES) - BlockWriter.TRAILER;
    if (blockSize < 0
        || blockSize > most
        || offset < 0
        || offset > size - BlockWriter.TRAILER - blockSize) {
      throw new CorruptionException(
          "a block of " + blockSize + " bytes at " + offset + " is not in the file", name, from);
    }
  }

  /** Closes the file. A failure is only logged, because it does not affect the data read. */
  public void close() {
    try {
      UnneededFile.close(file, name, LOG);
    } finally {
      if (mapped) {
        quota.count(-file.mappedBytes());
        quota.release();
      }
    }
  }
}

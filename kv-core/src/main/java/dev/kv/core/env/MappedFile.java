package dev.kv.core.env;

import dev.kv.core.memory.RefCounted;
import dev.kv.env.RandomAccessFile;
import dev.kv.file.PendingFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.MappedByteBuffer;
import java.nio.file.Path;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * A file on disk that is mapped into memory. A read copies bytes out of the mapping.
 *
 * <p>Invariants:
 *
 * <ol>
 *   <li>Its owners are the opener until {@link #close}, and each read under way. The last one
 *       passes the mapping to the unmapper. So no read touches unmapped memory.
 *   <li>In this class only {@link #copy} touches the mapping. If the file was truncated, the fault
 *       is found there and becomes an {@link IOException}. Checksums are computed over the copy
 *       only. Other code that touches the mapping obeys {@link MappedBytes}.
 * </ol>
 */
final class MappedFile extends RefCounted implements RandomAccessFile, MappedBytes {
  private final Path path;
  private final long size;
  private final Mapping mapping;
  private final MappedByteBuffer bytes;
  private final Unmapper unmapper;
  private final AtomicBoolean closed = new AtomicBoolean();
  private final PendingFault pendingFault = new PendingFault();

  /** Takes ownership of {@code mapping}, which covers all of the file. */
  MappedFile(Path path, long size, Mapping mapping, Unmapper unmapper) {
    this.path = path;
    this.size = size;
    this.mapping = mapping;
    this.bytes = mapping.buffer();
    this.unmapper = unmapper;
  }

  @Override
  public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.capacity());
    if (position < 0) {
      throw new IllegalArgumentException("position " + position);
    }
    int count = (int) Math.max(0, Math.min(length, size - position));
    if (!tryRetain()) {
      throw new IOException("closed: " + path);
    }
    try {
      if (count > 0) {
        copy((int) position, into, offset, count);
      }
    } finally {
      release();
    }
    return count;
  }

  private void copy(int position, ByteBuffer into, int offset, int length) throws IOException {
    InternalError fault;
    try {
      fault = pendingFault.copy(bytes, position, into, offset, length);
    } catch (IllegalStateException e) {
      throw new IOException("unmapped: " + path, e);
    }
    if (fault != null) {
      throw fault(position, length, fault);
    }
  }

  @Override
  public ByteBuffer mapping() {
    return bytes.duplicate().order(ByteOrder.LITTLE_ENDIAN);
  }

  @Override
  public void absorbFault() {
    if (pendingFault.absorb() != null) {
      pendingFault.absorb(); // the second of two faults may be pending still
    }
  }

  @Override
  public boolean absorbMissedFault() {
    return pendingFault.missed() != null;
  }

  private IOException fault(int position, int length, InternalError cause) {
    return new IOException(
        "cannot read " + length + " bytes at " + position + " of " + path + ": was it cut short?",
        cause);
  }

  @Override
  protected void free() {
    unmapper.unmap(mapping);
  }

  @Override
  public long size() {
    return size;
  }

  @Override
  public long mappedBytes() {
    return size;
  }

  @Override
  public void close() {
    if (closed.compareAndSet(false, true)) {
      release();
    }
  }
}

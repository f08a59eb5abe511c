package dev.kv.netty;

import dev.kv.bytes.PinnedValue;
import io.netty.buffer.AbstractReferenceCountedByteBuf;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.ByteBufAllocator;
import io.netty.buffer.UnpooledByteBufAllocator;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.channels.GatheringByteChannel;
import java.nio.channels.ScatteringByteChannel;
import org.jspecify.annotations.Nullable;

/**
 * A value as a read-only buffer. It has a reference count of its own, so that a release too many
 * throws and cannot end the pin of another holder of the same block. The last release closes the
 * value.
 */
final class ValueByteBuf extends AbstractReferenceCountedByteBuf {
  private final PinnedValue value;
  private final ByteBuffer bytes;
  private @Nullable ByteBuffer internal;

  /** Takes ownership of {@code value}. */
  ValueByteBuf(PinnedValue value) {
    super(value.length());
    this.value = value;
    bytes = value.buffer();
    writerIndex(value.length());
  }

  @Override
  protected void deallocate() {
    value.close();
  }

  @Override
  public boolean isReadOnly() {
    return true;
  }

  @Override
  public boolean isDirect() {
    return bytes.isDirect();
  }

  @Override
  public int capacity() {
    return maxCapacity();
  }

  @Override
  public ByteBuf capacity(int newCapacity) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBufAllocator alloc() {
    return UnpooledByteBufAllocator.DEFAULT;
  }

  @Override
  @SuppressWarnings("deprecation") // abstract in Netty
  public ByteOrder order() {
    return ByteOrder.BIG_ENDIAN;
  }

  @Override
  public @Nullable ByteBuf unwrap() {
    return null;
  }

  @Override
  public boolean hasArray() {
    return false;
  }

  @Override
  public byte[] array() {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int arrayOffset() {
    throw new ReadOnlyBufferException();
  }

  @Override
  public boolean hasMemoryAddress() {
    return false;
  }

  @Override
  public long memoryAddress() {
    throw new UnsupportedOperationException();
  }

  // Views

  @Override
  public int nioBufferCount() {
    return 1;
  }

  @Override
  public ByteBuffer nioBuffer(int index, int length) {
    checkIndex(index, length);
    return bytes.slice(index, length);
  }

  @Override
  public ByteBuffer[] nioBuffers(int index, int length) {
    return new ByteBuffer[] {nioBuffer(index, length)};
  }

  @Override
  public ByteBuffer internalNioBuffer(int index, int length) {
    checkIndex(index, length);
    ByteBuffer view = internal;
    if (view == null) {
      view = bytes.duplicate();
      internal = view;
    }
    return view.limit(index + length).position(index);
  }

  @Override
  public ByteBuf copy(int index, int length) {
    checkIndex(index, length);
    return alloc().directBuffer(length).writeBytes(this, index, length);
  }

  // Reads

  @Override
  protected byte _getByte(int index) {
    return bytes.get(index);
  }

  @Override
  protected short _getShort(int index) {
    return bytes.getShort(index);
  }

  @Override
  protected short _getShortLE(int index) {
    return Short.reverseBytes(bytes.getShort(index));
  }

  @Override
  protected int _getUnsignedMedium(int index) {
    return (bytes.getShort(index) & 0xffff) << Byte.SIZE | bytes.get(index + 2) & 0xff;
  }

  @Override
  protected int _getUnsignedMediumLE(int index) {
    return Integer.reverseBytes(_getUnsignedMedium(index)) >>> Byte.SIZE;
  }

  @Override
  protected int _getInt(int index) {
    return bytes.getInt(index);
  }

  @Override
  protected int _getIntLE(int index) {
    return Integer.reverseBytes(bytes.getInt(index));
  }

  @Override
  protected long _getLong(int index) {
    return bytes.getLong(index);
  }

  @Override
  protected long _getLongLE(int index) {
    return Long.reverseBytes(bytes.getLong(index));
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuf target, int targetIndex, int length) {
    checkDstIndex(index, length, targetIndex, target.capacity());
    target.setBytes(targetIndex, bytes.slice(index, length));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, byte[] target, int targetIndex, int length) {
    checkDstIndex(index, length, targetIndex, target.length);
    bytes.get(index, target, targetIndex, length);
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, ByteBuffer target) {
    checkIndex(index, target.remaining());
    target.put(bytes.slice(index, target.remaining()));
    return this;
  }

  @Override
  public ByteBuf getBytes(int index, OutputStream out, int length) throws IOException {
    checkIndex(index, length);
    byte[] copy = new byte[length];
    bytes.get(index, copy);
    out.write(copy);
    return this;
  }

  @Override
  public int getBytes(int index, GatheringByteChannel out, int length) throws IOException {
    return out.write(nioBuffer(index, length));
  }

  @Override
  public int getBytes(int index, FileChannel out, long position, int length) throws IOException {
    return out.write(nioBuffer(index, length), position);
  }

  // Writes, which are refused

  @Override
  public boolean isWritable() {
    return false;
  }

  @Override
  public boolean isWritable(int size) {
    return false;
  }

  @Override
  public ByteBuf ensureWritable(int minWritableBytes) {
    throw new ReadOnlyBufferException();
  }

  /** Returns 1, as Netty's read-only buffers do: not enough room, and the capacity stays. */
  @Override
  public int ensureWritable(int minWritableBytes, boolean force) {
    return 1;
  }

  @Override
  protected void _setByte(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setShort(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setShortLE(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setMedium(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setMediumLE(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setInt(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setIntLE(int index, int set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setLong(int index, long set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  protected void _setLongLE(int index, long set) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuf source, int sourceIndex, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, byte[] source, int sourceIndex, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public ByteBuf setBytes(int index, ByteBuffer source) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, InputStream in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, ScatteringByteChannel in, int length) {
    throw new ReadOnlyBufferException();
  }

  @Override
  public int setBytes(int index, FileChannel in, long position, int length) {
    throw new ReadOnlyBufferException();
  }
}

package dev.kv.netty;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.Slice;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ReadOnlyBufferException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.Random;
import java.util.function.Consumer;
import java.util.function.Function;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The buffer reads as Netty's own buffer of the same bytes, and refuses every write. */
class ValueByteBufTest {
  private static final byte[] BYTES = new byte[64];

  static {
    new Random(17).nextBytes(BYTES);
  }

  private final Value value = new Value();
  private final ByteBuf buf = new ValueByteBuf(value);
  private final ByteBuf netty = Unpooled.directBuffer().writeBytes(BYTES);

  /** A value that remembers its close. */
  private static final class Value implements PinnedValue {
    int closes;

    @Override
    public int length() {
      return BYTES.length;
    }

    @Override
    public Slice slice() {
      return Slice.of(BYTES);
    }

    @Override
    public ByteBuffer buffer() {
      return ByteBuffer.allocateDirect(BYTES.length).put(0, BYTES).asReadOnlyBuffer();
    }

    @Override
    public void close() {
      closes++;
    }
  }

  @Test
  void reads_ofEveryType_areThoseOfNettysBuffer() {
    List<Function<ByteBuf, Object>> reads =
        List.of(
            b -> b.getByte(63),
            b -> b.getUnsignedByte(5),
            b -> b.getShort(62),
            b -> b.getShortLE(3),
            b -> b.getUnsignedMedium(61),
            b -> b.getMedium(9),
            b -> b.getUnsignedMediumLE(61),
            b -> b.getMediumLE(11),
            b -> b.getInt(60),
            b -> b.getIntLE(1),
            b -> b.getLong(56),
            b -> b.getLongLE(7),
            b -> b.slice(3, 50).getLong(42),
            b -> b.duplicate().readerIndex(60).readInt(),
            b -> b.indexOf(0, 64, BYTES[40]),
            b -> b.copy(8, 8),
            b -> b.nioBuffer(8, 16),
            b -> b.internalNioBuffer(40, 24).slice(),
            b -> b.internalNioBuffer(0, 1).slice(),
            b -> b.nioBuffers(1, 62)[0],
            b -> b,
            ByteBuf::hashCode,
            ByteBuf::readableBytes);
    for (Function<ByteBuf, Object> read : reads) {
      assertThat(read.apply(buf)).isEqualTo(read.apply(netty));
    }
    assertThat(buf.compareTo(netty)).isZero();
  }

  @Test
  void getBytes_intoEveryKindOfTarget_copiesThem(@TempDir Path directory) throws IOException {
    byte[] wanted = ByteBuffer.allocate(20).put(BYTES, 30, 20).array();
    byte[] array = new byte[20];
    buf.getBytes(30, array);
    assertThat(array).isEqualTo(wanted);

    ByteBuffer nio = ByteBuffer.allocate(20);
    buf.getBytes(30, nio);
    assertThat(nio.array()).isEqualTo(wanted);
    assertThat(nio.hasRemaining()).isFalse();

    for (ByteBuf target : List.of(Unpooled.buffer(20), Unpooled.directBuffer(20))) {
      buf.getBytes(30, target);
      assertThat(target).isEqualTo(Unpooled.wrappedBuffer(wanted));
    }

    ByteArrayOutputStream stream = new ByteArrayOutputStream();
    buf.getBytes(30, stream, 20);
    assertThat(stream.toByteArray()).isEqualTo(wanted);

    Path file = directory.resolve("file");
    try (FileChannel channel =
        FileChannel.open(file, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      assertThat(buf.getBytes(30, channel, 0, 10)).isEqualTo(10);
      channel.position(10);
      assertThat(buf.getBytes(40, channel, 10)).isEqualTo(10);
    }
    assertThat(Files.readAllBytes(file)).isEqualTo(wanted);
  }

  @Test
  void reads_outsideTheValue_throw() {
    List<Consumer<ByteBuf>> reads =
        List.of(
            b -> b.getByte(64),
            b -> b.getLong(57),
            b -> b.nioBuffer(1, 64),
            b -> b.internalNioBuffer(60, 5),
            b -> b.copy(-1, 2),
            b -> b.getBytes(60, new byte[5]),
            b -> b.getBytes(60, ByteBuffer.allocate(5)),
            b -> b.getBytes(60, Unpooled.buffer(5), 0, 5));
    for (Consumer<ByteBuf> read : reads) {
      assertThatThrownBy(() -> read.accept(buf)).isInstanceOf(IndexOutOfBoundsException.class);
    }
  }

  @Test
  void writes_ofEveryType_areRefused() {
    List<Consumer<ByteBuf>> writes =
        List.of(
            b -> b.setByte(0, 1),
            b -> b.setShort(0, 1),
            b -> b.setShortLE(0, 1),
            b -> b.setMedium(0, 1),
            b -> b.setMediumLE(0, 1),
            b -> b.setInt(0, 1),
            b -> b.setIntLE(0, 1),
            b -> b.setLong(0, 1),
            b -> b.setLongLE(0, 1),
            b -> b.setBytes(0, new byte[1]),
            b -> b.setBytes(0, ByteBuffer.allocate(1)),
            b -> b.setBytes(0, netty, 0, 1),
            b -> b.nioBuffer().put((byte) 1),
            b -> b.internalNioBuffer(0, 1).put((byte) 1),
            b -> b.capacity(128),
            ByteBuf::array,
            ByteBuf::arrayOffset);
    for (Consumer<ByteBuf> write : writes) {
      assertThatThrownBy(() -> write.accept(buf)).isInstanceOf(ReadOnlyBufferException.class);
    }
    assertThatThrownBy(() -> buf.setBytes(0, new ByteArrayInputStream(BYTES), 1))
        .isInstanceOf(ReadOnlyBufferException.class);
    assertThat(buf.isReadOnly()).isTrue();
    assertThat(buf.isWritable()).isFalse();
    assertThat(buf).isEqualTo(netty);
  }

  @Test
  void isWritable_afterClear_answersAsNettysReadOnlyBuffer() {
    ByteBuf readOnly = netty.asReadOnly();
    for (ByteBuf b : List.of(readOnly, buf)) {
      b.clear();
      assertThat(b.isWritable()).isFalse();
      assertThat(b.isWritable(1)).isFalse();
      assertThat(b.ensureWritable(1, false)).isEqualTo(1);
      assertThat(b.ensureWritable(1, true)).isEqualTo(1);
      assertThatThrownBy(() -> b.ensureWritable(1)).isInstanceOf(ReadOnlyBufferException.class);
    }
  }

  @Test
  void release_ofTheLastReference_closesTheValueOnce() {
    buf.retain();
    assertThat(buf.release()).isFalse();
    assertThat(value.closes).isZero();
    assertThat(buf.release()).isTrue();
    assertThat(value.closes).isEqualTo(1);
  }
}

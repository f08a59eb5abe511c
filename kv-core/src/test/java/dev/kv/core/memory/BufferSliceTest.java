package dev.kv.core.memory;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.bytes.Slice;
import dev.kv.core.Samples;
import dev.kv.errors.DBClosedException;
import java.nio.BufferOverflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

class BufferSliceTest {
  private static BufferSlice over(byte[] bytes, int offset, ByteOrder order) {
    BufferSlice slice = new BufferSlice();
    ByteBuffer memory = ByteBuffer.allocateDirect(offset + bytes.length + 5).order(order);
    slice.point(memory.put(offset, bytes), offset, bytes.length);
    return slice;
  }

  /** Whatever lies under it, it reads as a slice of an array does. */
  @Test
  void reads_anyBytes_areThoseOfAnArray() {
    Random random = new Random(17);
    for (int i = 0; i < 1000; i++) {
      byte[] bytes = Samples.bytes(random, Samples.upTo(random, 30));
      checkReads(bytes, Samples.upTo(random, 9), random.nextBoolean());
    }
  }

  private static void checkReads(byte[] bytes, int offset, boolean bigEndian) {
    ByteOrder memory = bigEndian ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
    BufferSlice slice = over(bytes, offset, memory);
    Slice array = Slice.of(bytes);
    assertThat(slice.length()).isEqualTo(bytes.length);
    assertThat(slice).isEqualTo(array).hasSameHashCodeAs(array);
    assertThat(slice.compareTo(array)).isZero();
    assertThat(slice.toByteArray()).isEqualTo(bytes);
    for (ByteOrder order : new ByteOrder[] {ByteOrder.BIG_ENDIAN, ByteOrder.LITTLE_ENDIAN}) {
      for (int i = 0; i + Long.BYTES <= bytes.length; i++) {
        assertThat(slice.getInt(i, order)).isEqualTo(array.getInt(i, order));
        assertThat(slice.getLong(i, order)).isEqualTo(array.getLong(i, order));
      }
    }
    ByteBuffer target = ByteBuffer.allocate(bytes.length + 1);
    target.position(1);
    slice.copyTo(target);
    assertThat(target.remaining()).isZero();
    assertThat(Arrays.copyOfRange(target.array(), 1, bytes.length + 1)).isEqualTo(bytes);
  }

  @Test
  void copyTo_anArray_copiesFromAndToTheGivenIndexes() {
    BufferSlice slice = over(new byte[] {1, 2, 3, 4, 5}, 3, ByteOrder.LITTLE_ENDIAN);
    byte[] target = new byte[4];
    slice.copyTo(2, target, 1, 2);
    assertThat(target).containsExactly(0, 3, 4, 0);
  }

  @Test
  void reads_outsideTheSlice_throwThoughTheBufferGoesOn() {
    BufferSlice slice = over(new byte[10], 3, ByteOrder.LITTLE_ENDIAN);
    ThrowingCallable[] reads = {
      () -> slice.byteAt(-1),
      () -> slice.byteAt(10),
      () -> slice.getInt(7, ByteOrder.BIG_ENDIAN),
      () -> slice.getLong(3, ByteOrder.BIG_ENDIAN),
      () -> slice.copyTo(5, new byte[10], 0, 6),
      () -> slice.copyTo(5, new byte[3], 0, 4),
    };
    for (ThrowingCallable read : reads) {
      assertThatThrownBy(read).isInstanceOf(IndexOutOfBoundsException.class);
    }
    assertThatThrownBy(() -> slice.copyTo(ByteBuffer.allocate(9)))
        .isInstanceOf(BufferOverflowException.class);
  }

  @Test
  void reads_afterTheWindow_throwAndNameTheRemedy() {
    BufferSlice slice = over(new byte[10], 0, ByteOrder.LITTLE_ENDIAN);
    slice.revoke();
    ThrowingCallable[] reads = {
      slice::length,
      () -> slice.byteAt(0),
      () -> slice.getInt(0, ByteOrder.BIG_ENDIAN),
      () -> slice.getLong(0, ByteOrder.BIG_ENDIAN),
      () -> slice.copyTo(0, new byte[1], 0, 1),
      () -> slice.copyTo(ByteBuffer.allocate(10)),
      slice::toByteArray,
      slice::isEmpty,
      slice::hashCode,
      () -> slice.compareTo(Slice.of("")),
      () -> slice.startsWith(Slice.of("")),
    };
    for (ThrowingCallable read : reads) {
      assertThatThrownBy(read)
          .isInstanceOf(IllegalStateException.class)
          .hasMessageContaining("toByteArray()");
    }
    assertThat(slice).hasToString("Slice[after its window]");
    slice.point(ByteBuffer.allocateDirect(1), 0, 1);
    assertThat(slice.length()).isEqualTo(1);
  }

  /** The memory may have other bytes as soon as the owner has ended. */
  @Test
  void copies_whoseOwnerEndsMeanwhile_throwWhatItSays() {
    AtomicBoolean ended = new AtomicBoolean();
    BufferSlice slice =
        new BufferSlice(
            () -> {
              if (ended.get()) {
                throw new DBClosedException("closed");
              }
            });
    slice.point(ByteBuffer.allocateDirect(10), 0, 10);
    assertThat(slice.toByteArray()).hasSize(10);
    ended.set(true);
    ThrowingCallable[] copies = {
      slice::toByteArray,
      slice.suffix(1)::toByteArray,
      () -> slice.copyTo(2, new byte[3], 1, 2),
      () -> slice.copyTo(ByteBuffer.allocate(10)),
      () -> slice.suffix(1).copyTo(ByteBuffer.allocate(10)),
    };
    for (ThrowingCallable copy : copies) {
      assertThatThrownBy(copy).isInstanceOf(DBClosedException.class);
    }
    assertThat(slice).hasToString("Slice[after its window]");
    assertThat(slice.suffix(1)).hasToString("Slice[after its window]");
  }
}

package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.core.CutFile;
import dev.kv.core.CutsMappedFile;
import dev.kv.file.PendingFault;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class PendingFaultTest {
  private static final int OFFSET = 3;

  private final PendingFault fault = new PendingFault();

  /** Returns bytes that end with any byte, also with the mark that the copies use. */
  private static byte[] bytes(int length, int last) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) (i + 1);
    }
    bytes[length - 1] = (byte) last;
    return bytes;
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(OFFSET + bytes.length).put(OFFSET, bytes);
  }

  private static byte[] expected(byte[] bytes) {
    byte[] expected = new byte[OFFSET + bytes.length + 1];
    System.arraycopy(bytes, 0, expected, OFFSET, bytes.length);
    return expected;
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 7, 8, 9, 100})
  void copy_ofBytesThatAreThere_copiesThemAndNothingElse(int length) {
    for (int last : new int[] {0, 0x5a, ~0x5a, 0xff}) {
      byte[] bytes = bytes(length, last);
      ByteBuffer into = ByteBuffer.allocate(OFFSET + length + 1);
      assertThat(fault.copy(direct(bytes), OFFSET, into, OFFSET, length)).isNull();
      assertThat(into.array()).isEqualTo(expected(bytes));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void copyKeyOrValue_ofAnyBuffer_copiesItsRest(boolean direct) {
    for (int length : new int[] {0, 1, 100}) {
      byte[] bytes = length == 0 ? new byte[0] : bytes(length, 0x5a);
      ByteBuffer source =
          direct ? direct(bytes) : ByteBuffer.wrap(expected(bytes), 0, OFFSET + length);
      source.position(OFFSET);
      ByteBuffer into = ByteBuffer.allocate(OFFSET + length + 1);
      fault.copyKeyOrValue(source, into, OFFSET);
      assertThat(into.array()).isEqualTo(expected(bytes));
      assertThat(source.position()).isEqualTo(OFFSET);
    }
  }

  @Test
  void absorb_withoutAPendingError_returnsNull() {
    assertThat(fault.absorb()).isNull();
    assertThat(fault.missed()).isNull();
  }

  @Test
  @CutsMappedFile
  void copy_ofAMissingPage_returnsTheErrorAndLeavesNonePending(@TempDir Path temp)
      throws IOException {
    ByteBuffer mapped = CutFile.map(temp.resolve("f"));
    for (int length : new int[] {7, 100}) {
      byte[] array = new byte[length];
      ByteBuffer into = ByteBuffer.allocateDirect(length);
      ByteBuffer cut = mapped.slice(20_000, length);
      for (ByteBuffer target : List.of(ByteBuffer.wrap(array), into)) {
        assertThat(fault.copy(mapped, 20_000, target, 0, length)).isInstanceOf(InternalError.class);
        assertThat(fault.absorb()).isNull();
        assertThatThrownBy(() -> fault.copyKeyOrValue(cut, target, 0))
            .isInstanceOf(IllegalStateException.class)
            .hasMessageContaining("cut short")
            .hasCauseInstanceOf(InternalError.class);
        assertThat(fault.absorb()).isNull();
      }
      ByteBuffer target = ByteBuffer.wrap(array);
      assertThat(fault.copy(mapped, 4_000, target, 0, length)).as("before the end").isNull();
      assertThat(array).isEqualTo(Arrays.copyOf(new byte[0], length));
    }
  }
}

package dev.kv.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

class MaskedCrc32cTest {
  private final MaskedCrc32c crc = new MaskedCrc32c();

  private int of(byte[] bytes) {
    crc.reset();
    crc.update(ByteBuffer.wrap(bytes), 0, bytes.length);
    return crc.value();
  }

  @Test
  void value_vectorsOfRfc3720_match() {
    byte[] bytes = new byte[32];
    assertThat(of(bytes)).isEqualTo(0x8a9136aa);
    Arrays.fill(bytes, (byte) 0xff);
    assertThat(of(bytes)).isEqualTo(0x62a8ab43);
    for (int i = 0; i < 32; i++) {
      bytes[i] = (byte) i;
    }
    assertThat(of(bytes)).isEqualTo(0x46dd794e);
    for (int i = 0; i < 32; i++) {
      bytes[i] = (byte) (31 - i);
    }
    assertThat(of(bytes)).isEqualTo(0x113fdb5c);
  }

  /** A SCSI read command, the last of RFC 3720's examples. */
  @Test
  void value_scsiReadCommand_matches() {
    byte[] command = new byte[48];
    command[0] = 0x01;
    command[1] = (byte) 0xc0;
    command[16] = 0x14;
    command[22] = 0x04;
    command[27] = 0x14;
    command[31] = 0x18;
    command[32] = 0x28;
    command[40] = 0x02;
    assertThat(of(command)).isEqualTo(0xd9963a56);
  }

  @Test
  void update_inPieces_isAsInOne() {
    byte[] bytes = "hello world".getBytes(StandardCharsets.UTF_8);
    int whole = of(bytes);
    ByteBuffer direct = ByteBuffer.allocateDirect(20).put(4, bytes);
    crc.reset();
    crc.update(direct, 4, 6);
    crc.update(direct, 10, 4);
    crc.update((byte) 'd');
    assertThat(crc.value()).isEqualTo(whole);
    assertThat(direct.position()).isZero();
  }

  @Test
  void update_fromSeveralBuffers_isAsFromOne() {
    byte[] bytes = "hello world".getBytes(StandardCharsets.UTF_8);
    ByteBuffer first = ByteBuffer.allocateDirect(6).put(0, bytes, 0, 6);
    ByteBuffer second = ByteBuffer.allocateDirect(5).put(0, bytes, 6, 5);
    int whole = of(bytes);
    crc.reset();
    crc.update(first, 0, 6);
    crc.update(second, 0, 5);
    assertThat(crc.value()).isEqualTo(whole);
  }

  @Test
  void mask_anyValue_differsAndIsUndone() {
    int value = of("foo".getBytes(StandardCharsets.UTF_8));
    assertThat(MaskedCrc32c.mask(value)).isNotEqualTo(value);
    assertThat(MaskedCrc32c.unmask(MaskedCrc32c.mask(value))).isEqualTo(value);
    assertThat(MaskedCrc32c.mask(MaskedCrc32c.mask(value))).isNotEqualTo(value);
    assertThat(crc.maskedValue()).isEqualTo(MaskedCrc32c.mask(value));
  }

  @Test
  void value_ofDifferentBytes_differs() {
    assertThat(of(new byte[] {'a'})).isNotEqualTo(of(new byte[] {'f', 'o', 'o'}));
  }
}

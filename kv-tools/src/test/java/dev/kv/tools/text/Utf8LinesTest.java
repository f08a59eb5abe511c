package dev.kv.tools.text;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

class Utf8LinesTest {
  /** Reads a stream in pieces of any length. */
  private static List<String> lines(byte[] bytes, Random random) throws IOException {
    InputStream in =
        new ByteArrayInputStream(bytes) {
          @Override
          public int read(byte[] into, int offset, int length) {
            return super.read(into, offset, 1 + random.nextInt(length));
          }
        };
    Utf8Lines lines = new Utf8Lines(in);
    List<String> all = new ArrayList<>();
    for (String line = lines.next(); line != null; line = lines.next()) {
      all.add(line);
      assertThat(lines.number()).isEqualTo(all.size());
    }
    return all;
  }

  @Test
  void next_anyLines_givesThem() throws IOException {
    long seed = System.nanoTime();
    Random random = new Random(seed);
    for (int i = 0; i < 200; i++) {
      List<String> expected = new ArrayList<>();
      StringBuilder text = new StringBuilder();
      for (int line = random.nextInt(20); line > 0; line--) {
        String content = "\u00e4\ud83d\ude00x".repeat(random.nextInt(20_000) / (1 + i % 50));
        expected.add(content + "end");
        text.append(content).append("end").append(random.nextBoolean() ? "\n" : "\r\n");
      }
      if (random.nextBoolean()) {
        expected.add("last");
        text.append("last");
      }
      assertThat(lines(text.toString().getBytes(UTF_8), random))
          .as("seed %d", seed)
          .isEqualTo(expected);
    }
  }

  @Test
  void next_byteOrderMark_isSkippedBeforeTheFirstLineOnly() throws IOException {
    Random random = new Random(1);
    String mark = "\ufeff";
    assertThat(lines((mark + "a\n" + mark + "b\n").getBytes(UTF_8), random))
        .containsExactly("a", mark + "b");
    assertThat(lines((mark + "last").getBytes(UTF_8), random)).containsExactly("last");
    assertThat(lines((mark + "\nb").getBytes(UTF_8), random)).containsExactly("", "b");
    assertThat(lines(mark.getBytes(UTF_8), random)).isEmpty();
    assertThat(lines("a".getBytes(UTF_8), random)).containsExactly("a");
  }

  @Test
  void next_lineLongerThanTheLimit_isRefused() throws IOException {
    int limit = 100_000;
    byte[] text = ("a\n" + "b".repeat(limit - 1) + "\n" + "c".repeat(limit) + "\n").getBytes(UTF_8);
    Utf8Lines lines = new Utf8Lines(new ByteArrayInputStream(text), limit);
    assertThat(lines.next()).isEqualTo("a");
    assertThat(lines.next()).hasSize(limit - 1);
    assertThatThrownBy(lines::next)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessage("a line must be shorter than 100000 bytes");
    assertThat(lines.number()).isEqualTo(3);
  }

  @Test
  void next_bytesThatAreNotUtf8_areRefusedInTheirLine() throws IOException {
    Utf8Lines lines =
        new Utf8Lines(new ByteArrayInputStream(new byte[] {'a', '\n', 'b', -1, '\n', 'c'}));
    assertThat(lines.next()).isEqualTo("a");
    assertThatThrownBy(lines::next)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("not UTF-8");
    assertThat(lines.number()).isEqualTo(2);
  }
}

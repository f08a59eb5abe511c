package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.tools.console.Failure;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ProcessArgumentsTest {
  private static final byte[] NOT_UTF8 = {'a', (byte) 0xff};

  /** Decodes words as the JVM does in a locale of that character set, then as the command does. */
  private static String[] decode(Charset charset, byte[]... words) {
    List<byte[]> originals =
        new ArrayList<>(List.of(bytes("java"), bytes("-jar"), bytes("kv.jar")));
    String[] args = new String[words.length];
    for (int i = 0; i < words.length; i++) {
      originals.add(words[i]);
      args[i] = new String(words[i], charset);
    }
    return ProcessArguments.decode(args, originals, charset);
  }

  private static byte[] bytes(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  @Test
  void decode_posixLocale_recoversUtf8() {
    assertThat(
            decode(
                StandardCharsets.US_ASCII, bytes("put"), bytes("d\u00e4?"), bytes("\ud83d\ude00")))
        .containsExactly("put", "d\u00e4?", "\ud83d\ude00");
  }

  @Test
  void decode_utf8Locale_keepsAReplacementCharacterThatWasTyped() {
    assertThat(decode(StandardCharsets.UTF_8, bytes("\ufffd"))).containsExactly("\ufffd");
  }

  @Test
  void decode_latinLocale_keepsWhatTheLocaleDecodes() {
    assertThat(decode(StandardCharsets.ISO_8859_1, NOT_UTF8)).containsExactly("a\u00ff");
  }

  @Test
  void decode_bytesOfNoCharacter_refusesTheArgument() {
    for (Charset charset : List.of(StandardCharsets.US_ASCII, StandardCharsets.UTF_8)) {
      assertThatThrownBy(() -> decode(charset, bytes("get"), NOT_UTF8))
          .isInstanceOf(Failure.class)
          .hasMessage("argument 2 is not UTF-8: write each such byte as \\xNN");
    }
  }

  @Test
  void decode_commandLineUnknownOrOfOtherWords_refusesTheArgument() {
    String[] args = {"get", "\ufffd\ufffd"};
    List<byte[]> other = List.of(bytes("java"), bytes("get"), bytes("key"));
    for (List<byte[]> originals : List.of(List.<byte[]>of(), other)) {
      assertThatThrownBy(() -> ProcessArguments.decode(args, originals, StandardCharsets.US_ASCII))
          .isInstanceOf(Failure.class)
          .hasMessageContaining("argument 2 has bytes outside the character set of the locale");
    }
  }

  @Test
  void decode_windowsAndACodePage_refusesQuestionMarks() {
    Charset codePage = Charset.forName("windows-1252");
    for (String argument : List.of("??", "a?", "--prefix=?", "\\\\?\\x41", "\\\\?\\C:\\?")) {
      assertThatThrownBy(
              () -> ProcessArguments.decode(new String[] {"get", argument}, true, codePage))
          .isInstanceOf(Failure.class)
          .hasMessage(
              "argument 2 has a '?': write '?' as \\x3f; characters that the code page windows-1252"
                  + " lacks arrive as '?': write the bytes of a key or value as \\xNN, or use batch"
                  + " or load; a path with them needs its short name, or the code page UTF-8");
    }
    assertThatThrownBy(() -> ProcessArguments.decode(new String[] {"?"}, true, null))
        .isInstanceOf(Failure.class)
        .hasMessageContaining("that the code page lacks");
  }

  @Test
  void decode_questionMarksThatWereTyped_areKept() {
    Charset codePage = Charset.forName("windows-1252");
    String[] question = {"get", "??"};
    assertThat(ProcessArguments.decode(question, true, StandardCharsets.UTF_8)).isEqualTo(question);
    assertThat(ProcessArguments.decode(question, false, codePage)).isEqualTo(question);
    String[] paths = {"import", "\\\\?\\C:\\db", "--file=\\\\?\\UNC\\host\\dump", "d\u00e4\\x3f"};
    assertThat(ProcessArguments.decode(paths, true, codePage)).isEqualTo(paths);
  }
}

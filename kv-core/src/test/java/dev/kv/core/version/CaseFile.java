package dev.kv.core.version;

import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A text file of cases that reads as a specification.
 *
 * <pre>
 * case := command (name=value)*, input line*, "----", expected line*, empty line
 * </pre>
 *
 * Lines that begin with a number sign between cases are comments.
 */
public final class CaseFile {
  private CaseFile() {}

  /** One case. */
  public record Case(
      String place,
      String command,
      Map<String, String> arguments,
      List<String> input,
      String expected) {

    /** Returns an argument, or null. */
    public @Nullable String argument(String name) {
      return arguments.get(name);
    }

    /** Returns an argument that has to be there. */
    public String required(String name) {
      String value = arguments.get(name);
      if (value == null) {
        throw new IllegalArgumentException(place + ": " + name + " is missing");
      }
      return value;
    }

    /** Returns a number, or what it is by default. */
    public long number(String name, long otherwise) {
      String value = arguments.get(name);
      return value == null ? otherwise : Long.parseLong(value);
    }

    @Override
    public String toString() {
      return place + " " + command + " " + arguments;
    }
  }

  /** Reads the cases of a resource under testdata. */
  public static List<Case> read(String name) {
    try (InputStream in = CaseFile.class.getResourceAsStream("/testdata/" + name)) {
      if (in == null) {
        throw new IllegalArgumentException("no test data " + name);
      }
      String text = new String(in.readAllBytes(), StandardCharsets.UTF_8);
      return parse(name, text.split("\n", -1));
    } catch (IOException e) {
      throw new java.io.UncheckedIOException(e);
    }
  }

  private static List<Case> parse(String name, String[] lines) {
    List<Case> cases = new ArrayList<>();
    int i = 0;
    while (i < lines.length) {
      if (lines[i].isBlank() || lines[i].startsWith("#")) {
        i++;
        continue;
      }
      String place = name + ":" + (i + 1);
      String[] words = lines[i++].trim().split(" +");
      Map<String, String> arguments = new LinkedHashMap<>();
      for (int w = 1; w < words.length; w++) {
        int equals = words[w].indexOf('=');
        arguments.put(words[w].substring(0, equals), words[w].substring(equals + 1));
      }
      List<String> input = new ArrayList<>();
      while (!lines[i].equals("----")) {
        input.add(lines[i++].trim());
      }
      i++;
      StringBuilder expected = new StringBuilder();
      while (i < lines.length && !lines[i].isBlank()) {
        expected.append(lines[i++].stripTrailing()).append('\n');
      }
      cases.add(new Case(place, words[0], arguments, input, expected.toString()));
    }
    return cases;
  }
}

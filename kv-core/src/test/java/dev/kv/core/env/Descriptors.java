package dev.kv.core.env;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/** The open descriptors of this process, as Linux shows them in /proc. */
final class Descriptors {
  private static final Path OWN = Path.of("/proc/self/fd");

  private Descriptors() {}

  /**
   * Returns the files with open descriptors whose paths contain a text, one for each descriptor.
   */
  static List<String> of(String text) throws IOException {
    List<String> found = new ArrayList<>();
    try (Stream<Path> descriptors = Files.list(OWN)) {
      for (Path descriptor : descriptors.toList()) {
        String target = targetOf(descriptor);
        if (target.contains(text)) {
          found.add(target);
        }
      }
    }
    return found;
  }

  private static String targetOf(Path descriptor) throws IOException {
    try {
      return Files.readSymbolicLink(descriptor).toString();
    } catch (NoSuchFileException e) {
      return ""; // closed meanwhile by another thread of the JVM
    }
  }
}

package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * Fails a database test that leaves something behind: a thread of the engine, or a descriptor or
 * mapping of a file in a test's directory. Off-heap buffers are checked by the database's close
 * itself while invariants are on.
 */
public final class LeakCheck implements BeforeEachCallback, AfterEachCallback {
  private static final ExtensionContext.Namespace SPACE =
      ExtensionContext.Namespace.create(LeakCheck.class);
  private static final Path DESCRIPTORS = Path.of("/proc/self/fd");
  private static final Path MAPPINGS = Path.of("/proc/self/maps");

  @Override
  public void beforeEach(ExtensionContext context) {
    context.getStore(SPACE).put("before", held());
  }

  @Override
  public void afterEach(ExtensionContext context) throws InterruptedException {
    @SuppressWarnings("unchecked")
    Map<String, Integer> before = (Map<String, Integer>) context.getStore(SPACE).get("before");
    Map<String, Integer> left = Map.of();
    // Unmapping goes in batches on a thread of its own, so that what is held may fall for a moment.
    for (int i = 0; i < 1000; i++) {
      left = held();
      left.entrySet().removeIf(each -> each.getValue() <= before.getOrDefault(each.getKey(), 0));
      if (left.isEmpty()) {
        return;
      }
      Thread.sleep(20);
    }
    assertThat(left).as("left behind by " + context.getDisplayName()).isEmpty();
  }

  /** Returns what there is, and how many of each. */
  private static Map<String, Integer> held() {
    Map<String, Integer> held = new TreeMap<>();
    for (Thread thread : Thread.getAllStackTraces().keySet()) {
      if (thread.getName().startsWith("kv-") && !thread.getName().equals("kv-unmap")) {
        held.merge("thread " + thread.getName(), 1, Integer::sum);
      }
    }
    if (Files.exists(DESCRIPTORS)) {
      try {
        descriptors().forEach(file -> held.merge("descriptor of " + file, 1, Integer::sum));
        for (String line : Files.readAllLines(MAPPINGS)) {
          int path = line.indexOf('/');
          if (path >= 0 && isTestFile(line.substring(path))) {
            held.merge("mapping of " + line.substring(path), 1, Integer::sum);
          }
        }
      } catch (IOException e) {
        throw new AssertionError(e);
      }
    }
    return held;
  }

  private static List<String> descriptors() throws IOException {
    List<String> files = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(DESCRIPTORS)) {
      for (Path entry : entries) {
        if (Files.isSymbolicLink(entry)) {
          String file = readLink(entry);
          if (isTestFile(file)) {
            files.add(file);
          }
        }
      }
    }
    return files;
  }

  private static String readLink(Path link) {
    try {
      return Files.readSymbolicLink(link).toString();
    } catch (IOException closedMeanwhile) {
      return "";
    }
  }

  private static boolean isTestFile(String file) {
    return file.contains("/kvtest") || file.contains("/junit");
  }
}

package example;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import org.infinispan.Cache;
import org.infinispan.manager.DefaultCacheManager;
import org.infinispan.manager.EmbeddedCacheManager;

/**
 * Sessions of a shop in a cache of Infinispan, whose store is a kv database. They survive a
 * restart, and end after an hour. In a cluster, only the element {@code local-cache} of the
 * configuration changes to {@code distributed-cache}.
 */
public final class Sessions {
  private static final int SESSIONS = 10_000;

  private Sessions() {}

  /** Writes sessions, restarts, and finds them. */
  public static void main(String[] args) throws IOException {
    Path directory = Files.createTempDirectory("sessions");
    System.setProperty("sessions.directory", directory.toString());

    try (EmbeddedCacheManager manager = new DefaultCacheManager("sessions.xml")) {
      Cache<String, String> sessions = manager.getCache("sessions");
      for (int i = 0; i < SESSIONS; i++) {
        sessions.put("session" + i, "cart of user " + i, 1, TimeUnit.HOURS);
      }
      sessions.remove("session0");
    }

    try (EmbeddedCacheManager manager = new DefaultCacheManager("sessions.xml")) {
      Cache<String, String> sessions = manager.getCache("sessions");
      check(sessions.get("session0") == null, "a removed session is there");
      check("cart of user 7".equals(sessions.get("session7")), "a session is lost");
      check(sessions.size() == SESSIONS - 1, "the number of sessions is " + sessions.size());
      System.out.println(sessions.size() + " sessions after the restart, in " + directory);
    }
  }

  private static void check(boolean condition, String message) {
    if (!condition) {
      throw new IllegalStateException(message);
    }
  }
}

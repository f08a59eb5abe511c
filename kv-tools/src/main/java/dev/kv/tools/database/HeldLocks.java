package dev.kv.tools.database;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Linux's list of locked files, which tells whether a database is open without touching LOCK.
 *
 * <p>The list names a file by the device of its file system and its inode. A stat may tell another
 * device, as on btrfs and overlayfs, but the list of mounts has the same one. A lock counts if its
 * device is mounted at LOCK or above: mounts can hide each other, and which one LOCK is on is not
 * determined.
 *
 * @param locks the list of locks
 * @param mounts the list of mounts
 */
record HeldLocks(Path locks, Path mounts) {
  static final HeldLocks OF_SYSTEM =
      new HeldLocks(Path.of("/proc/locks"), Path.of("/proc/self/mountinfo"));

  private static final Pattern MOUNT = Pattern.compile("\\d+ \\d+ (\\d+):(\\d+) \\S+ (\\S+) .*");

  /** A mount point without escaped characters and without ones that depend on the locale. */
  private static final Pattern PLAIN = Pattern.compile("[\\x21-\\x5b\\x5d-\\x7e]+");

  /** Returns true if a file is locked, and null if the system has no such list. */
  @Nullable Boolean contain(Path file) {
    try (Stream<String> lines = Files.lines(locks)) {
      String inode = ":" + Files.getAttribute(file, "unix:ino") + " ";
      Set<String> devices = devices(file.toRealPath());
      return lines.anyMatch(held -> isOf(held, inode, devices));
    } catch (NoSuchFileException missing) {
      return Files.exists(locks) ? false : null; // without the file, nobody has it open
    } catch (IOException | UnsupportedOperationException unknown) {
      return null;
    }
  }

  private static boolean isOf(String held, String inode, Set<String> devices) {
    int at = held.indexOf(inode);
    return at >= 0
        && (devices.isEmpty()
            || devices.contains(held.substring(held.lastIndexOf(' ', at) + 1, at)));
  }

  /**
   * Returns the devices that a file may be on, as the list of locks writes them; none if unknown.
   */
  private Set<String> devices(Path real) throws IOException {
    Set<String> devices = new HashSet<>();
    boolean found = false;
    if (Files.exists(mounts)) {
      for (String line : Files.readAllLines(mounts, StandardCharsets.ISO_8859_1)) {
        Matcher mount = MOUNT.matcher(line);
        if (mount.matches()) {
          boolean plain = PLAIN.matcher(mount.group(3)).matches();
          boolean above = plain && real.startsWith(mount.group(3));
          found |= above;
          if (above || !plain) {
            devices.add(hex(mount.group(1)) + ":" + hex(mount.group(2)));
          }
        }
      }
    }
    return found ? devices : Set.of();
  }

  private static String hex(String decimal) {
    return String.format(Locale.ROOT, "%02x", Long.parseLong(decimal));
  }
}

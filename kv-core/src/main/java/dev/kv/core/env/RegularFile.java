package dev.kv.core.env;

import java.io.File;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;

/** The check that every file passes before it is opened or gets a second name. */
public final class RegularFile {
  private static final boolean WINDOWS = File.separatorChar == '\\';

  private RegularFile() {}

  /**
   * Returns true for a regular file. Before Java 27 a file on Windows is "other" if the system
   * stores it in a way of its own, deduplicated or in a cloud; a pipe has no name in a directory
   * there.
   */
  static boolean isRegular(BasicFileAttributes attributes, boolean windows) {
    return attributes.isRegularFile()
        || (windows && attributes.isOther() && !attributes.isDirectory());
  }

  /**
   * Returns true if a file exists and is a regular file. A single call: between two calls another
   * process could delete the file.
   *
   * @param options {@link LinkOption#NOFOLLOW_LINKS} to return false for a symbolic link
   * @throws java.nio.file.NoSuchFileException if there is no file
   */
  public static boolean isRegular(Path file, LinkOption... options) throws IOException {
    return isRegular(Files.readAttributes(file, BasicFileAttributes.class, options), WINDOWS);
  }

  /**
   * Refuses a file that exists and is not a regular file. The open of a pipe waits until another
   * process opens its other end, and a device has no end.
   *
   * @param file the file about to be opened or created
   * @param options {@link LinkOption#NOFOLLOW_LINKS} to refuse a symbolic link as well
   * @throws FileSystemException if the file is a pipe, a device, a directory or a socket
   */
  static void require(Path file, LinkOption... options) throws FileSystemException {
    boolean regular;
    try {
      regular = isRegular(file, options);
    } catch (IOException e) {
      return; // the open reports the cause
    }
    if (!regular) {
      throw new FileSystemException(file.toString(), null, "is not a regular file");
    }
  }
}

package org.fusesource.leveldbjni.internal;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;

/** The name of leveldbjni's helper for files. */
public class Util {
  /** Creates an instance, as in leveldbjni; all methods are static. */
  public Util() {}

  /**
   * Creates a hard link, so that a file of a backup takes no space of its own.
   *
   * @param source the existing file
   * @param target the name of the link, which must not exist
   * @throws IOException if the link cannot be created, as on a file system that has none
   */
  public static void link(File source, File target) throws IOException {
    Files.createLink(target.toPath(), source.toPath());
  }
}

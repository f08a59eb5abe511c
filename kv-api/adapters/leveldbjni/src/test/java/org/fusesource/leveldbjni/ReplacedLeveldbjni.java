package org.fusesource.leveldbjni;

import java.io.IOException;
import java.net.MalformedURLException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.iq80.leveldb.DBFactory;

/** The leveldbjni that this module replaces, in a class loader of its own. */
final class ReplacedLeveldbjni {
  private ReplacedLeveldbjni() {}

  /** Returns the jar, which the build puts beside the working directory's files. */
  static URL jar() {
    try {
      return Path.of("replaced", "leveldbjni-all.jar").toUri().toURL();
    } catch (MalformedURLException e) {
      throw new AssertionError(e);
    }
  }

  /** Returns the library's factory, as a type of the test's class path. */
  static DBFactory factory() throws ReflectiveOperationException {
    ClassLoader tests = ReplacedLeveldbjni.class.getClassLoader();
    ClassLoader parent =
        new ClassLoader(null) {
          @Override
          protected Class<?> findClass(String name) throws ClassNotFoundException {
            if (name.startsWith("org.iq80.leveldb.")) {
              return tests.loadClass(name);
            }
            return ClassLoader.getPlatformClassLoader().loadClass(name);
          }
        };
    // Not closed: its native library lives as long as the JVM
    @SuppressWarnings("resource")
    ClassLoader library = new URLClassLoader(new URL[] {jar()}, parent);
    Class<?> factory = library.loadClass("org.fusesource.leveldbjni.JniDBFactory");
    return (DBFactory) factory.getField("factory").get(null);
  }

  /** Returns a loader of this module, with the replaced library after it. */
  static URLClassLoader both() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(java.io.File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    urls.add(jar());
    return new URLClassLoader(urls.toArray(URL[]::new), ClassLoader.getPlatformClassLoader());
  }
}

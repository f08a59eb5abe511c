package dev.kv.repository;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBFactory;
import dev.kv.core.codec.MaskedCrc32c;
import io.netty.buffer.ByteBuf;
import io.netty.util.Recycler;
import java.io.IOException;
import java.io.OutputStream;
import java.lang.module.ModuleDescriptor;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.jar.Attributes;
import java.util.jar.JarOutputStream;
import java.util.jar.Manifest;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipEntry;
import org.apache.felix.framework.FrameworkFactory;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.osgi.framework.Bundle;
import org.osgi.framework.Constants;
import org.osgi.framework.launch.Framework;
import org.xerial.snappy.Snappy;

/** kv as bundles of OSGi, in Felix. */
class BundleTest {
  private static final int STOP_MILLIS = 10_000;

  @TempDir Path temp;

  private final List<FileSystem> open = new ArrayList<>();

  @AfterEach
  void close() throws IOException {
    System.clearProperty(BundleProgram.RESULT);
    for (FileSystem each : open) {
      each.close();
    }
  }

  @Test
  void bundle_thatUsesTheApi_findsTheEngineAndOpensADatabase() throws Exception {
    Framework framework = start("org.slf4j;version=2.0.20,org.slf4j.spi;version=2.0.20");
    try {
      Bundle engine = install(framework, MaskedCrc32c.class);
      for (Class<?> each : List.of(DBFactory.class, ByteBuf.class, Recycler.class, Snappy.class)) {
        install(framework, each);
      }
      Bundle program = framework.getBundleContext().installBundle(program().toUri().toString());
      program.start();
      assertThat(System.getProperty(BundleProgram.RESULT))
          .startsWith("10000 by org.apache.felix.framework.");
      assertThat(engine.getState()).isEqualTo(Bundle.RESOLVED);
    } finally {
      framework.stop();
      framework.waitForStop(STOP_MILLIS);
    }
  }

  @Test
  void bundle_withoutSnappyAndSlf4j_opensADatabase() throws Exception {
    Framework framework = start("");
    try {
      for (Class<?> each :
          List.of(MaskedCrc32c.class, DBFactory.class, ByteBuf.class, Recycler.class)) {
        install(framework, each);
      }
      framework.getBundleContext().installBundle(program().toUri().toString()).start();
      assertThat(System.getProperty(BundleProgram.RESULT)).startsWith("10000 by ");
    } finally {
      framework.stop();
      framework.waitForStop(STOP_MILLIS);
    }
  }

  /** The packages that OSGi sees are those that modules see. */
  @Test
  void exports_ofTheApi_areThoseOfItsModule() throws Exception {
    Path api = root(DBFactory.class);
    ModuleDescriptor module;
    try (var in = Files.newInputStream(api.resolve("module-info.class"))) {
      module = ModuleDescriptor.read(in);
    }
    assertThat(exported(api))
        .contains("dev.kv")
        .isEqualTo(
            module.exports().stream()
                .filter(exports -> !exports.isQualified())
                .map(ModuleDescriptor.Exports::source)
                .collect(Collectors.toSet()));
    assertThat(exported(root(MaskedCrc32c.class))).isEmpty();
  }

  /** Returns the directory of a class's jar, or of its classes if no jar was made of them. */
  private Path root(Class<?> type) throws Exception {
    Path origin = origin(type);
    if (Files.isDirectory(origin)) {
      return origin;
    }
    FileSystem jar = FileSystems.newFileSystem(origin, (ClassLoader) null);
    open.add(jar);
    return jar.getPath("/");
  }

  private static Set<String> exported(Path root) throws IOException {
    try (var in = Files.newInputStream(root.resolve("META-INF/MANIFEST.MF"))) {
      String exports = new Manifest(in).getMainAttributes().getValue(Constants.EXPORT_PACKAGE);
      return exports == null
          ? Set.of()
          : Arrays.stream(exports.replaceAll("\"[^\"]*\"", "").split(","))
              .map(clause -> clause.replaceFirst(";.*", ""))
              .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  /** A framework whose system bundle has more packages, as programs that embed one do it. */
  private Framework start(String packages) throws Exception {
    Framework framework =
        new FrameworkFactory()
            .newFramework(
                Map.of(
                    Constants.FRAMEWORK_STORAGE,
                    temp.resolve("bundles").toString(),
                    Constants.FRAMEWORK_SYSTEMPACKAGES_EXTRA,
                    packages,
                    BundleProgram.DIRECTORY,
                    temp.resolve("db").toString()));
    framework.start();
    return framework;
  }

  private Bundle install(Framework framework, Class<?> anyOfItsClasses) throws Exception {
    Path origin = origin(anyOfItsClasses);
    Path jar =
        Files.isDirectory(origin)
            ? pack(origin, temp.resolve(anyOfItsClasses.getSimpleName() + ".jar"))
            : origin;
    return framework.getBundleContext().installBundle(jar.toUri().toString());
  }

  private static Path origin(Class<?> type) throws Exception {
    return Path.of(type.getProtectionDomain().getCodeSource().getLocation().toURI());
  }

  /** A directory of classes as the jar that the build makes of it. */
  private static Path pack(Path classes, Path jar) throws IOException {
    Manifest manifest;
    try (var in = Files.newInputStream(classes.resolve("META-INF/MANIFEST.MF"))) {
      manifest = new Manifest(in);
    }
    try (Stream<Path> files = Files.walk(classes);
        OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest)) {
      for (Path file : files.filter(Files::isRegularFile).toList()) {
        if (!file.endsWith("MANIFEST.MF")) {
          entries.putNextEntry(
              new ZipEntry(classes.relativize(file).toString().replace('\\', '/')));
          Files.copy(file, entries);
        }
      }
    }
    return jar;
  }

  private Path program() throws IOException {
    Manifest manifest = new Manifest();
    Attributes headers = manifest.getMainAttributes();
    headers.put(Attributes.Name.MANIFEST_VERSION, "1.0");
    headers.putValue(Constants.BUNDLE_MANIFESTVERSION, "2");
    headers.putValue(Constants.BUNDLE_SYMBOLICNAME, "program");
    headers.putValue(Constants.BUNDLE_ACTIVATOR, BundleProgram.class.getName());
    headers.putValue(Constants.IMPORT_PACKAGE, "dev.kv,dev.kv.admin,dev.kv.env,org.osgi.framework");
    Path jar = temp.resolve("program.jar");
    String name = BundleProgram.class.getName().replace('.', '/') + ".class";
    try (OutputStream out = Files.newOutputStream(jar);
        JarOutputStream entries = new JarOutputStream(out, manifest);
        var in = BundleTest.class.getClassLoader().getResourceAsStream(name)) {
      entries.putNextEntry(new ZipEntry(name));
      in.transferTo(entries);
    }
    return jar;
  }
}

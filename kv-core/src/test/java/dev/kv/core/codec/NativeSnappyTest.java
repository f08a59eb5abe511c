package dev.kv.core.codec;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Children;
import dev.kv.options.CompressionType;
import java.io.Closeable;
import java.io.File;
import java.io.FileInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledForJreRange;
import org.junit.jupiter.api.condition.EnabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;
import org.xerial.snappy.Snappy;

/**
 * How the engine starts where snappy-java does not: in JVMs of their own, for a library loads once.
 */
class NativeSnappyTest {
  @TempDir Path directory;

  /** What the child JVM does: a round trip, and which codec made it. */
  static final class Child {
    /** The size of an index block. */
    private static final int BLOCK = 20_000;

    private Child() {}

    public static void main(String[] arguments) throws IOException, MalformedBlockException {
      BlockCompression writer = new BlockCompression(arguments.length == 0);
      BlockCompression codec = new BlockCompression(true);
      ByteBuffer source = ByteBuffer.allocateDirect(BLOCK).order(ByteOrder.LITTLE_ENDIAN);
      ByteBuffer stored = ByteBuffer.allocateDirect(2 * BLOCK).order(ByteOrder.LITTLE_ENDIAN);
      if (List.of(arguments).contains("descriptors")) {
        withoutDescriptors(writer, codec, source, stored);
      }
      int size = writer.compress(CompressionType.SNAPPY, 1, source, BLOCK, stored, 0);
      codec.uncompress((byte) 1, stored, size, source, BLOCK);
      if (List.of(arguments).contains("maps")) {
        System.out.print(isMapped() + " ");
        codec.compress(CompressionType.SNAPPY, 1, source, BLOCK, stored, 0);
        System.out.print(isMapped());
      } else {
        System.out.print(NativeSnappy.instance() == null ? "java" : "native");
      }
    }

    /** Compresses while no file can be opened, also not the files of classes. */
    private static void withoutDescriptors(
        BlockCompression javaCodec, BlockCompression codec, ByteBuffer source, ByteBuffer stored)
        throws IOException {
      javaCodec.compress(CompressionType.SNAPPY, 1, source, BLOCK, stored, 0);
      Objects.requireNonNull(NativeSnappy.class.getDeclaredMethods());
      Objects.requireNonNull(Snappy.class.getName());
      List<Closeable> open = new ArrayList<>();
      try {
        openAll(open);
        codec.compress(CompressionType.SNAPPY, 1, source, BLOCK, stored, 0);
      } finally {
        for (Closeable each : open) {
          each.close();
        }
      }
      codec.compress(CompressionType.SNAPPY, 1, source, BLOCK, stored, 0);
      System.out.print(NativeSnappy.instance() == null ? "java " : "native ");
    }

    private static void openAll(List<Closeable> open) {
      try {
        while (true) {
          open.add(new FileInputStream("/dev/null"));
        }
      } catch (IOException e) {
        return;
      }
    }

    /** Returns true if the library is mapped into the process. */
    private static boolean isMapped() throws IOException {
      return Files.readString(Path.of("/proc/self/maps")).contains("snappyjava");
    }
  }

  private record Outcome(String output, String errors) {}

  private Outcome run(String classPath, String... flags) throws IOException, InterruptedException {
    return run(List.of(), classPath, flags);
  }

  private Outcome run(List<String> arguments, String classPath, String... flags)
      throws IOException, InterruptedException {
    List<String> command = new ArrayList<>();
    command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
    command.add("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
    command.addAll(Arrays.asList(flags));
    command.addAll(List.of("-cp", classPath, Child.class.getName()));
    command.addAll(arguments);
    if (arguments.contains("descriptors")) {
      command.addAll(0, List.of("sh", "-c", "ulimit -n 256 && exec \"$@\"", "sh"));
    }
    File output = directory.resolve("out").toFile();
    File errors = directory.resolve("err").toFile();
    Process child = Children.builder(command).redirectOutput(output).redirectError(errors).start();
    assertThat(child.waitFor(60, TimeUnit.SECONDS)).isTrue();
    return new Outcome(
        Files.readString(output.toPath(), StandardCharsets.UTF_8),
        Files.readString(errors.toPath(), StandardCharsets.UTF_8));
  }

  private static void assertFellBack(Outcome outcome) {
    assertThat(outcome.output()).as(outcome.errors()).isEqualTo("java");
    assertThat(outcome.errors().lines()).as("one line of log").hasSize(1);
    assertThat(outcome.errors()).contains("INFO", "Java codec is used instead");
  }

  private static String classPath() {
    return System.getProperty("java.class.path");
  }

  @Test
  void start_platformWithoutLibrary_fallsBack() throws Exception {
    assertFellBack(run(classPath(), "-Dos.arch=pdp11"));
  }

  @Test
  void start_temporaryDirectoryNotThere_fallsBack() throws Exception {
    String nowhere = directory.resolve("nowhere").toString();
    assertFellBack(run(classPath(), "-Dorg.xerial.snappy.tempdir=" + nowhere));
  }

  @Test
  void start_jarAbsent_fallsBack() throws Exception {
    String without =
        Arrays.stream(classPath().split(File.pathSeparator))
            .filter(entry -> !Path.of(entry).getFileName().toString().startsWith("snappy"))
            .collect(Collectors.joining(File.pathSeparator));
    assertThat(without).isNotEqualTo(classPath());
    assertFellBack(run(without));
  }

  /** Version 1.0.5 prints a stack trace when it cannot define its class. */
  @Test
  void start_versionThatDefinesAClassInAnotherLoader_fallsBack() throws Exception {
    Path source = Files.createDirectory(directory.resolve("source")).resolve("SnappyLoader.java");
    Files.writeString(
        source,
        "package org.xerial.snappy; public class SnappyLoader {"
            + " static { new Exception().printStackTrace(); }"
            + " private static Class<?> injectSnappyNativeLoader() { return null; } }");
    Path classes = directory.resolve("classes");
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", classes.toString(), source.toString());
    assertThat(result).isZero();
    Outcome outcome = run(classes + File.pathSeparator + classPath(), allowNativeAccess());
    assertFellBack(outcome);
    assertThat(outcome.errors()).contains("older than 1.1");
  }

  @Test
  @EnabledForJreRange(maxVersion = 23)
  void start_usually_loadsTheLibraryInSilence() throws Exception {
    assertThat(run(classPath())).isEqualTo(new Outcome("native", ""));
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void uncompress_ofASmallBlock_doesNotLoadTheLibrary() throws Exception {
    Outcome outcome = run(List.of("maps"), classPath(), allowNativeAccess());
    assertThat(outcome.output()).as(outcome.errors()).isEqualTo("false true");
  }

  @Test
  @EnabledOnOs(OS.LINUX)
  void compress_withoutFileDescriptors_usesJavaUntilThereAreSome() throws Exception {
    Outcome outcome = run(List.of("descriptors"), classPath(), allowNativeAccess());
    assertThat(outcome.output()).as(outcome.errors()).isEqualTo("native native");
    assertThat(outcome.errors()).isEmpty();
  }

  private static String[] allowNativeAccess() {
    return Runtime.version().feature() < 24
        ? new String[0]
        : new String[] {"--enable-native-access=ALL-UNNAMED"};
  }

  @Test
  @EnabledForJreRange(minVersion = 24)
  void start_withoutNativeAccess_fallsBackInsteadOfWarning() throws Exception {
    assertFellBack(run(classPath()));
    assertFellBack(run(classPath(), "--illegal-native-access=deny"));
    assertThat(run(classPath(), "--enable-native-access=ALL-UNNAMED"))
        .isEqualTo(new Outcome("native", ""));
  }
}

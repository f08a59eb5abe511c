package dev.kv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.admin.LiveFiles;
import dev.kv.bytes.PinnedValue;
import dev.kv.bytes.ValueReader;
import dev.kv.change.Changes;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingMappedLogFile;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.file.NewDirectory;
import dev.kv.table.TableReader;
import dev.kv.table.TableWriter;
import java.io.File;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Parameter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** What the API must keep to be as easy from Kotlin and Scala as from Java. */
class LanguagesTest {
  /** The hard keywords of Kotlin and of Scala 3 that are names in Java. */
  private static final Set<String> RESERVED =
      Set.of(
          "as",
          "def",
          "export",
          "fun",
          "given",
          "implicit",
          "in",
          "is",
          "lazy",
          "match",
          "object",
          "override",
          "sealed",
          "then",
          "trait",
          "type",
          "typealias",
          "typeof",
          "val",
          "var",
          "when",
          "with",
          "yield");

  /** What stands between the library and the operating system speaks its language. */
  private static final Set<Class<?>> SYSTEM =
      Set.of(
          Env.class,
          Env.Lock.class,
          ForwardingEnv.class,
          ForwardingSequentialFile.class,
          ForwardingRandomAccessFile.class,
          ForwardingWritableFile.class,
          ForwardingMappedLogFile.class,
          SequentialFile.class,
          RandomAccessFile.class,
          WritableFile.class,
          MappedLogFile.class,
          NewDirectory.class,
          LiveFiles.File.class);

  @Test
  void names_ofTheApi_areReservedNowhere() throws Exception {
    for (Method method : methods()) {
      assertThat(RESERVED).as("%s", method).doesNotContain(method.getName());
      for (Parameter parameter : method.getParameters()) {
        assertThat(RESERVED).as("%s", method).doesNotContain(parameter.getName());
      }
    }
  }

  /** A switch, or Kotlin's when, over a sealed type compiles without a branch for later types. */
  @Test
  void types_ofTheApi_areNotSealed() throws Exception {
    for (Class<?> type : types()) {
      if (Modifier.isPublic(type.getModifiers())) {
        assertThat(type.isSealed()).as("%s", type).isFalse();
      }
    }
  }

  /** Only the calls that wait for a change can be interrupted, as those of a BlockingQueue. */
  @Test
  void methods_ofTheApi_throwNothingChecked() throws Exception {
    for (Method method : methods()) {
      boolean waits = method.getDeclaringClass() == Changes.class;
      if (!SYSTEM.contains(method.getDeclaringClass())) {
        assertThat(method.getExceptionTypes())
            .as("%s", method)
            .allMatch(
                type ->
                    RuntimeException.class.isAssignableFrom(type)
                        || (waits && type == InterruptedException.class));
      }
    }
  }

  @Test
  void resources_ofTheApi_closeWithoutCheckedExceptions() throws Exception {
    for (Class<?> resource :
        List.of(
            DB.class,
            DBIterator.class,
            Changes.class,
            Snapshot.class,
            PinnedValue.class,
            SharedResources.class,
            TableReader.class,
            TableWriter.class)) {
      assertThat(AutoCloseable.class).as("%s", resource).isAssignableFrom(resource);
      assertThat(resource.getMethod("close").getExceptionTypes()).as("%s", resource).isEmpty();
    }
  }

  @Test
  void callbacks_ofTheApi_areFunctionalInterfaces() {
    for (Class<?> callback : List.of(ValueReader.class, Dump.Sink.class)) {
      assertThat(callback).hasAnnotation(FunctionalInterface.class);
    }
  }

  private static List<Method> methods() throws Exception {
    List<Method> methods = new ArrayList<>();
    for (Class<?> type : types()) {
      if (Modifier.isPublic(type.getModifiers())) {
        Stream.of(type.getDeclaredMethods())
            .filter(method -> Modifier.isPublic(method.getModifiers()))
            .forEach(methods::add);
      }
    }
    assertThat(methods).hasSizeGreaterThan(100);
    return methods;
  }

  private static List<Class<?>> types() throws Exception {
    Path classes = Path.of(DB.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    List<Class<?>> types = new ArrayList<>();
    try (Stream<Path> files = Files.walk(classes.resolve("dev/kv"))) {
      for (Path file : files.filter(file -> file.toString().endsWith(".class")).toList()) {
        String name = classes.relativize(file).toString().replace(".class", "");
        if (!name.endsWith("package-info")) {
          String type = name.replace(File.separatorChar, '.');
          types.add(Class.forName(type, false, DB.class.getClassLoader()));
        }
      }
    }
    return types;
  }
}

package dev.kv.tools;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.lang.reflect.Executable;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import java.util.zip.ZipFile;
import org.junit.jupiter.api.Test;

/** The metadata in the engine's jar that native images are built with. */
class NativeImageTest {
  private static final String METADATA = "META-INF/native-image/dev.kv/kv-core/";
  private static final Path ENGINE = Path.of("..", "kv-core", "src", "main");

  /** The JDK that has what {@code dev.kv.core.env.Mapper} looks up on newer runtimes. */
  private static final int FIRST_WITH_ARENAS = 24;

  @Test
  void classes_methodsAndFields_exist() throws Exception {
    int members = 0;
    for (Map<?, ?> entry : entries("reflect-config.json", "jni-config.json")) {
      if (entry.toString().matches(".*(java\\.lang\\.foreign|isNativeAccessEnabled).*")
          && Runtime.version().feature() < FIRST_WITH_ARENAS) {
        continue;
      }
      Class<?> type = type((String) entry.get("name"));
      for (Map<?, ?> field : maps(entry.get("fields"))) {
        type.getDeclaredField((String) field.get("name"));
        members++;
      }
      for (Map<?, ?> method : maps(entry.get("methods"))) {
        assertThat(executable(type, method)).isNotNull();
        members++;
      }
    }
    assertThat(members).isGreaterThan(20);
  }

  @Test
  void classes_thatTheEngineReflectsOn_areListed() throws Exception {
    Set<String> listed = new TreeSet<>();
    for (Map<?, ?> entry : entries("reflect-config.json")) {
      String name = (String) entry.get("name");
      listed.add(name);
      maps(entry.get("fields")).forEach(field -> listed.add(name + "." + field.get("name")));
      maps(entry.get("methods")).forEach(method -> listed.add(name + "#" + method.get("name")));
    }
    assertThat(listed).containsAll(inSources()).containsAll(providers());
    for (Class<?> event : type("dev.kv.core.event.JfrEvents").getDeclaredClasses()) {
      assertThat(listed).contains(event.getName());
    }
  }

  @Test
  void resources_exist() throws Exception {
    Map<?, ?> resources = (Map<?, ?>) read("resource-config.json").get("resources");
    List<Map<?, ?>> includes = maps(resources.get("includes"));
    Set<String> present = classPathEntries();
    assertThat(includes).isNotEmpty();
    for (Map<?, ?> each : includes) {
      Pattern pattern = Pattern.compile((String) each.get("pattern"));
      assertThat(present).as("%s", pattern).anyMatch(name -> pattern.matcher(name).matches());
      if (each.get("condition") instanceof Map<?, ?> condition) {
        type((String) condition.get("typeReachable"));
      }
    }
  }

  /** The fields of VarHandles and the classes that are looked up by name. */
  private static Set<String> inSources() throws IOException {
    Set<String> found = new TreeSet<>();
    Pattern field =
        Pattern.compile("FieldHandles\\.of\\(\\s*MethodHandles\\.lookup\\(\\),\\s*\"(\\w+)\"");
    Pattern forName = Pattern.compile("Class\\.forName\\(\"([\\w.]+)\"\\)");
    try (Stream<Path> files = Files.walk(ENGINE.resolve("java"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String source = Files.readString(file);
        Path relative = ENGINE.resolve("java").relativize(file);
        String name =
            relative.toString().replaceAll("\\.java$", "").replace(File.separatorChar, '.');
        for (Matcher each = field.matcher(source); each.find(); ) {
          found.add(name + "." + each.group(1));
        }
        for (Matcher each = forName.matcher(source); each.find(); ) {
          found.add(each.group(1));
        }
      }
    }
    assertThat(found).hasSizeGreaterThan(15);
    return found;
  }

  private static Set<String> providers() throws IOException {
    try (Stream<Path> files = Files.list(ENGINE.resolve("resources/META-INF/services"))) {
      return files
          .flatMap(NativeImageTest::lines)
          .map(provider -> provider.strip() + "#<init>")
          .collect(Collectors.toCollection(TreeSet::new));
    }
  }

  private static Stream<String> lines(Path file) {
    try {
      return Files.readAllLines(file).stream();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  private static Executable executable(Class<?> type, Map<?, ?> method) throws Exception {
    List<Class<?>> parameters = new ArrayList<>();
    for (Object parameter : (List<?>) method.get("parameterTypes")) {
      parameters.add(type((String) parameter));
    }
    Class<?>[] types = parameters.toArray(Class<?>[]::new);
    String name = (String) method.get("name");
    return name.equals("<init>")
        ? type.getDeclaredConstructor(types)
        : type.getDeclaredMethod(name, types);
  }

  private static Class<?> type(String name) throws ClassNotFoundException {
    return switch (name) {
      case "int" -> int.class;
      case "long" -> long.class;
      default -> Class.forName(name, false, NativeImageTest.class.getClassLoader());
    };
  }

  private static Set<String> classPathEntries() throws IOException {
    Set<String> names = new TreeSet<>();
    for (String element : System.getProperty("java.class.path").split(File.pathSeparator)) {
      Path path = Path.of(element);
      if (Files.isDirectory(path)) {
        try (Stream<Path> files = Files.walk(path)) {
          files
              .map(file -> path.relativize(file).toString().replace(File.separatorChar, '/'))
              .forEach(names::add);
        }
      } else if (Files.isRegularFile(path)) {
        try (ZipFile jar = new ZipFile(path.toFile())) {
          jar.stream().forEach(entry -> names.add(entry.getName()));
        }
      }
    }
    return names;
  }

  private static List<Map<?, ?>> entries(String... files) throws IOException {
    List<Map<?, ?>> all = new ArrayList<>();
    for (String file : files) {
      all.addAll(maps(read(file).get("")));
    }
    assertThat(all).isNotEmpty();
    return all;
  }

  private static List<Map<?, ?>> maps(Object list) {
    List<Map<?, ?>> maps = new ArrayList<>();
    for (Object each : list == null ? List.of() : (List<?>) list) {
      maps.add((Map<?, ?>) each);
    }
    return maps;
  }

  /** Returns the object in a file, or one in which the empty name has the list in the file. */
  private static Map<?, ?> read(String file) throws IOException {
    try (InputStream in =
            NativeImageTest.class.getClassLoader().getResourceAsStream(METADATA + file);
        JsonParser parser = new JsonFactory().createParser(in)) {
      parser.nextToken();
      Object content = value(parser);
      return content instanceof Map<?, ?> map ? map : Map.of("", content);
    }
  }

  private static Object value(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.START_ARRAY) {
      List<Object> list = new ArrayList<>();
      while (parser.nextToken() != JsonToken.END_ARRAY) {
        list.add(value(parser));
      }
      return list;
    }
    if (parser.currentToken() == JsonToken.START_OBJECT) {
      Map<String, Object> map = new LinkedHashMap<>();
      while (parser.nextToken() != JsonToken.END_OBJECT) {
        String name = parser.currentName();
        parser.nextToken();
        map.put(name, value(parser));
      }
      return map;
    }
    return parser.getText();
  }
}

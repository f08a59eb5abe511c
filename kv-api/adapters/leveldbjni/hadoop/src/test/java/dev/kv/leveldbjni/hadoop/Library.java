package dev.kv.leveldbjni.hadoop;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.SAXException;

/** A library that suites are run on, each run in a JVM of its own. */
enum Library {
  /** kv's jar with classifier all, in the place of leveldbjni. */
  KV,
  /** leveldbjni itself. */
  ORIGINAL;

  /** Hadoop's serialization (FST) looks into these. */
  private static final List<String> OPENED =
      List.of(
          "java.base/java.lang",
          "java.base/java.util",
          "java.base/java.io",
          "java.base/java.math",
          "java.base/java.text",
          "java.base/java.net",
          "java.base/java.util.concurrent",
          "java.sql/java.sql");

  /** Returns the class path of a suite, without a database and without a logging backend. */
  static List<String> suiteClassPath() {
    return classPath()
        .filter(entry -> !entry.contains("leveldbjni") && !entry.contains("slf4j-reload4j"))
        .toList();
  }

  private String jar() {
    return classPath()
        .map(Path::of)
        .filter(entry -> isThisOne(entry.getFileName().toString()))
        .map(Path::toString)
        .findFirst()
        .orElseThrow();
  }

  /** Returns true for the jar with everything, and not for the jar of this module. */
  private boolean isThisOne(String name) {
    return this == KV
        ? name.startsWith("kv-leveldbjni") && name.endsWith("-all.jar")
        : name.startsWith("leveldbjni-all-1") && name.endsWith(".jar");
  }

  private static Stream<String> classPath() {
    return Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator));
  }

  /**
   * Runs a suite.
   *
   * @return each test with its failure, which is empty if it passed
   */
  Map<String, String> run(String suite, Path compiled) throws IOException, InterruptedException {
    String name = suite.substring(suite.lastIndexOf('.') + 1);
    Path place =
        Files.createDirectories(Path.of("runs", name, name().toLowerCase(java.util.Locale.ROOT)));
    String classPath =
        Stream.concat(Stream.of(jar(), compiled.toString()), suiteClassPath().stream())
            .collect(Collectors.joining(File.pathSeparator));
    Process process =
        new ProcessBuilder(command(suite, classPath))
            .directory(place.toFile())
            .redirectErrorStream(true)
            .redirectOutput(place.resolve("output.txt").toFile())
            .start();
    process.waitFor();
    return results(place);
  }

  private static List<String> command(String suite, String classPath) {
    return Stream.of(
            Stream.of(Path.of(System.getProperty("java.home"), "bin", "java").toString(), "-ea"),
            OPENED.stream().map(opened -> "--add-opens=" + opened + "=ALL-UNNAMED"),
            Stream.of(
                "-Dtest.build.data=data",
                "-cp",
                classPath,
                "org.junit.platform.console.ConsoleLauncher",
                "execute",
                "--select-class=" + suite,
                "--reports-dir=reports",
                "--details=none",
                "--disable-banner"))
        .flatMap(part -> part)
        .toList();
  }

  private static Map<String, String> results(Path place) throws IOException {
    Map<String, String> results = new TreeMap<>();
    try (Stream<Path> files = Files.list(place.resolve("reports"))) {
      for (Path file : files.filter(each -> each.toString().endsWith(".xml")).toList()) {
        NodeList cases = parse(file).getElementsByTagName("testcase");
        for (int i = 0; i < cases.getLength(); i++) {
          Element test = (Element) cases.item(i);
          results.put(test.getAttribute("name"), failure(test));
        }
      }
    }
    return results;
  }

  private static Element parse(Path file) throws IOException {
    try {
      return DocumentBuilderFactory.newInstance()
          .newDocumentBuilder()
          .parse(file.toFile())
          .getDocumentElement();
    } catch (ParserConfigurationException | SAXException e) {
      throw new IOException(file.toString(), e);
    }
  }

  private static String failure(Element test) {
    for (String kind : List.of("failure", "error")) {
      NodeList found = test.getElementsByTagName(kind);
      if (found.getLength() > 0) {
        Element first = (Element) found.item(0);
        return (first.getAttribute("type") + ": " + first.getAttribute("message")).strip();
      }
    }
    return "";
  }
}

package dev.kv.repository;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.lang.module.ModuleDescriptor;
import java.lang.module.ModuleFinder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.LoggerFactory;

/** Checks that each package is in a layer, and imports only packages of lower layers. */
@Tag("one-jdk")
final class ArchitectureTest {

  private static final String ROOT = "dev.kv.core.";

  /** The packages of kv-api. */
  private static final String[] API = {
    "dev.kv",
    "dev.kv.admin",
    "dev.kv.backup",
    "dev.kv.bytes",
    "dev.kv.change",
    "dev.kv.env",
    "dev.kv.errors",
    "dev.kv.event",
    "dev.kv.file",
    "dev.kv.load",
    "dev.kv.map",
    "dev.kv.options",
    "dev.kv.space",
    "dev.kv.table",
    "dev.kv.ttl",
    "dev.kv.tuple",
    "dev.kv.view"
  };

  /** The packages of each layer, lowest layer first. */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of("logging"),
          Set.of("event"),
          Set.of("codec", "memory"),
          Set.of("env"),
          Set.of("key", "cache"),
          Set.of("log"),
          Set.of("iterator", "batch", "version", "table.filter"),
          Set.of("table.block", "memtable"),
          Set.of("table.format", "manifest"),
          Set.of("table.cache"),
          Set.of("table.mapped"),
          Set.of("table"),
          Set.of("table.standalone"),
          Set.of("read", "write", "compaction", "inspect"),
          Set.of("shared"),
          Set.of("state", "transaction"),
          Set.of("recovery", "background", "checkpoint", "feed"),
          Set.of("repair", "change"),
          Set.of("load"),
          Set.of("db"));

  private static final int MOST_ARGUMENTS = 8;

  private static JavaClasses engine;

  @BeforeAll
  static void importClasses() {
    engine =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages("dev.kv");
  }

  @Test
  void package_ofTheEngine_isInALayer() {
    Set<String> known = new TreeSet<>();
    LAYERS.forEach(known::addAll);
    Set<String> found = new TreeSet<>();
    for (JavaClass type : engine) {
      if (type.getPackageName().startsWith(ROOT)) {
        found.add(type.getPackageName().substring(ROOT.length()));
      }
    }
    assertThat(known).isEqualTo(found);
  }

  @Test
  void package_ofTheApi_isInTheList() {
    Set<String> found = new TreeSet<>();
    for (JavaClass type : engine) {
      if (!(type.getPackageName() + ".").startsWith(ROOT)) {
        found.add(type.getPackageName());
      }
    }
    assertThat(found).containsExactly(API);
  }

  @ParameterizedTest
  @MethodSource("packages")
  void package_inItsLayer_importsOnlyLowerLayers(String name) {
    noClasses()
        .that(resideInAPackage(ROOT + name))
        .should()
        .dependOnClassesThat(resideInAnyPackage(forbiddenTo(name)))
        .because("a package imports only from layers below its own")
        .check(engine);
  }

  @Test
  void packages_ofTheEngine_haveNoCycle() {
    slices().matching(ROOT + "(*)..").should().beFreeOfCycles().check(engine);
  }

  @Test
  void package_ofTheApiAndTheEngine_hasAtMost22Classes() {
    Map<String, Long> counts =
        engine.stream()
            .filter(type -> type.isTopLevelClass() && !type.getSimpleName().equals("package-info"))
            .collect(Collectors.groupingBy(JavaClass::getPackageName, Collectors.counting()));
    assertThat(counts).isNotEmpty();
    assertThat(counts.values()).as(counts.toString()).allMatch(count -> count <= 22);
  }

  @Test
  void constructor_ofTheEngine_hasAtMostEightArguments() {
    List<String> longer = new ArrayList<>();
    for (JavaClass type : engine) {
      if (type.getPackageName().startsWith(ROOT)) {
        type.getConstructors().stream()
            .filter(constructor -> constructor.getRawParameterTypes().size() > MOST_ARGUMENTS)
            .forEach(constructor -> longer.add(constructor.getFullName()));
      }
    }
    assertThat(longer).as("a class with more is two classes, or lacks a record").isEmpty();
  }

  @Test
  void module_ofTheEngine_exportsOnePackageToItsTools() {
    ModuleDescriptor module =
        ModuleFinder.of(Path.of("target", "classes"))
            .find("dev.kv.core")
            .orElseThrow()
            .descriptor();
    assertThat(module.exports())
        .singleElement()
        .satisfies(
            export -> {
              assertThat(export.source()).isEqualTo(ROOT + "inspect");
              assertThat(export.targets()).containsExactly("dev.kv.tools");
            });
    assertThat(module.opens()).isEmpty();
  }

  @Test
  void api_anyClass_doesNotDependOnTheEngine() {
    noClasses()
        .that(resideInAnyPackage(API))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.kv.core.."))
        .check(engine);
  }

  @Test
  void api_anyClass_dependsOnlyOnTheJdk() {
    classes()
        .that(resideInAnyPackage(API))
        .should()
        .onlyDependOnClassesThat(
            resideInAnyPackage(API).or(resideInAnyPackage("java..", "org.jspecify.annotations")))
        .check(engine);
  }

  @Test
  void engine_anyClass_getsItsLoggerFromOnePlace() {
    noClasses()
        .that(resideInAPackage("dev.kv.core.."))
        .and(DescribedPredicate.not(resideInAPackage(ROOT + "logging")))
        .should()
        .dependOnClassesThat(JavaClass.Predicates.type(LoggerFactory.class))
        .because("without a provider, the first use of slf4j prints a notice")
        .check(engine);
  }

  @Test
  void api_database_doesNotNameWhatStandsOnIt() {
    noClasses()
        .that(resideInAnyPackage("dev.kv", "dev.kv.env", "dev.kv.event"))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(
                "dev.kv.backup",
                "dev.kv.map",
                "dev.kv.space",
                "dev.kv.table",
                "dev.kv.ttl",
                "dev.kv.tuple",
                "dev.kv.view"))
        .check(engine);
  }

  @Test
  void api_packages_haveNoCycle() {
    slices()
        .matching(
            "dev.kv.(admin|backup|bytes|change|env|errors|event|file|load|map|options|space|table"
                + "|ttl|tuple|view)")
        .should()
        .beFreeOfCycles()
        .check(engine);
  }

  @Test
  void api_packagesBelowTheDatabase_doNotDependOnIt() {
    noClasses()
        .that(
            resideInAnyPackage(
                "dev.kv.admin",
                "dev.kv.bytes",
                "dev.kv.change",
                "dev.kv.env",
                "dev.kv.errors",
                "dev.kv.event",
                "dev.kv.file",
                "dev.kv.load",
                "dev.kv.options"))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.kv"))
        .check(engine);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"sun.misc..", "jdk.internal..", "com.google.common..", "java.util.logging.."})
  void class_anywhere_doesNotDependOnUnwantedLibraries(String unwanted) {
    noClasses()
        .that(resideInAPackage("dev.kv.."))
        .should()
        .dependOnClassesThat(resideInAPackage(unwanted))
        .check(engine);
  }

  private static Stream<String> packages() {
    return LAYERS.stream().flatMap(Set::stream).sorted();
  }

  /** Returns the other packages in the layer of {@code name} and in the layers above. */
  private static String[] forbiddenTo(String name) {
    List<String> forbidden = new ArrayList<>();
    boolean reached = false;
    for (Set<String> layer : LAYERS) {
      reached |= layer.contains(name);
      for (String other : layer) {
        if (reached && !other.equals(name)) {
          forbidden.add(ROOT + other);
        }
      }
    }
    return forbidden.toArray(String[]::new);
  }
}

package dev.kv.tools;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The packages of the command line stand in layers, and one imports only from layers below its own.
 */
final class ArchitectureTest {
  private static final String ROOT = "dev.kv.tools";

  /** Bottom first; the root, which knows every command, stands above them. */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of("text"),
          Set.of("console"),
          Set.of("database"),
          Set.of("verify"),
          Set.of("dump", "stats"),
          Set.of("backup", "bench", "entries", "maintenance", "report", "shell", "transfer"));

  private static JavaClasses tools;

  @BeforeAll
  static void importClasses() {
    tools =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .importPackages(ROOT);
  }

  @Test
  void package_anyOfTheTools_standsInALayer() {
    Set<String> known = new TreeSet<>();
    LAYERS.forEach(known::addAll);
    Set<String> found = new TreeSet<>();
    for (JavaClass type : tools) {
      if (!type.getPackageName().equals(ROOT)) {
        found.add(type.getPackageName().substring(ROOT.length() + 1));
      }
    }
    assertThat(found).isEqualTo(known);
  }

  @ParameterizedTest
  @MethodSource("packages")
  void package_inItsLayer_importsOnlyLowerLayers(String name) {
    noClasses()
        .that(resideInAPackage(ROOT + "." + name))
        .should()
        .dependOnClassesThat(resideInAnyPackage(forbiddenTo(name)))
        .because("a package imports only from layers below its own")
        .check(tools);
  }

  @Test
  void packages_ofTheTools_haveNoCycle() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(tools);
  }

  @ParameterizedTest
  @ValueSource(strings = {"text", "console", "entries", "transfer", "bench", "shell"})
  void package_thatReadsNoFilesItself_needsOnlyTheApi(String name) {
    noClasses()
        .that(resideInAPackage(ROOT + "." + name))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.kv.core.."))
        .because("it works on databases as any program does")
        .check(tools);
  }

  private static Stream<String> packages() {
    return LAYERS.stream().flatMap(Set::stream).sorted();
  }

  /** The root, and every other package of the layer of {@code name} and of the layers above. */
  private static String[] forbiddenTo(String name) {
    List<String> forbidden = new ArrayList<>(List.of(ROOT));
    boolean reached = false;
    for (Set<String> layer : LAYERS) {
      reached |= layer.contains(name);
      for (String other : layer) {
        if (reached && !other.equals(name)) {
          forbidden.add(ROOT + "." + other + "..");
        }
      }
    }
    return forbidden.toArray(String[]::new);
  }
}

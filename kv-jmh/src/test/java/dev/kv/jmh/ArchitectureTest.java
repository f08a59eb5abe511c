package dev.kv.jmh;

import static com.tngtech.archunit.base.DescribedPredicate.not;
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

/**
 * The packages of the benchmarks stand in layers, and one imports only from layers below its own.
 */
final class ArchitectureTest {
  private static final String ROOT = "dev.kv.jmh";

  /** Bottom first; the root, which knows every command, stands above them. */
  private static final List<Set<String>> LAYERS =
      List.of(
          Set.of("result", "store", "transfer", "workload"),
          Set.of("adapter"),
          Set.of("meter", "part", "report", "suite"),
          Set.of("run"),
          Set.of("task"),
          Set.of("bench"));

  private static JavaClasses benchmarks;

  /** Leaves out what JMH's processor generates, which sees all that it runs. */
  @BeforeAll
  static void importClasses() {
    benchmarks =
        new ClassFileImporter()
            .withImportOption(new ImportOption.DoNotIncludeTests())
            .withImportOption(location -> !location.contains("jmh_generated"))
            .importPackages(ROOT);
  }

  @Test
  void package_anyOfTheBenchmarks_standsInALayer() {
    Set<String> known = new TreeSet<>();
    LAYERS.forEach(known::addAll);
    Set<String> found = new TreeSet<>();
    for (JavaClass type : benchmarks) {
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
        .check(benchmarks);
  }

  @Test
  void packages_ofTheBenchmarks_haveNoCycle() {
    slices().matching(ROOT + ".(*)..").should().beFreeOfCycles().check(benchmarks);
  }

  @Test
  void report_ofResults_knowsNothingOfStores() {
    noClasses()
        .that(resideInAPackage(ROOT + ".report"))
        .should()
        .dependOnClassesThat(
            resideInAnyPackage(ROOT + ".adapter", ROOT + ".store", ROOT + ".workload"))
        .because("it works on result files alone")
        .check(benchmarks);
  }

  @Test
  void engine_fromOutside_isSeenByItsPartsAlone() {
    noClasses()
        .that(not(resideInAPackage(ROOT + ".part")))
        .should()
        .dependOnClassesThat(resideInAPackage("dev.kv.core.."))
        .because("whole stores are measured as any program uses them")
        .check(benchmarks);
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

package dev.kv.infinispan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.infinispan.suites.ConfigurationSuite;
import dev.kv.infinispan.suites.FunctionalSuite;
import dev.kv.infinispan.suites.IracSuite;
import dev.kv.infinispan.suites.MultiStoresSuite;
import dev.kv.infinispan.suites.ParallelIterationSuite;
import dev.kv.infinispan.suites.PreloadSuite;
import dev.kv.infinispan.suites.StoreSuite;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/**
 * Runs Infinispan's own tests, from the jar of its tests, on kv. The number of tests is checked, so
 * that none is left out without notice.
 */
class InfinispanSuitesTest {
  static Stream<Arguments> suites() {
    return Stream.of(
        Arguments.of(StoreSuite.class, 36),
        Arguments.of(FunctionalSuite.class, 12),
        Arguments.of(ParallelIterationSuite.class, 4),
        Arguments.of(MultiStoresSuite.class, 2),
        Arguments.of(PreloadSuite.class, 4),
        Arguments.of(IracSuite.class, 2),
        Arguments.of(ConfigurationSuite.class, 3));
  }

  @ParameterizedTest
  @MethodSource("suites")
  void suite_ofInfinispan_passes(Class<?> suite, int tests) {
    XmlTest test = new XmlTest(new XmlSuite());
    test.getXmlClasses().add(new XmlClass(suite));
    test.addExcludedGroup("stress");
    Results results = new Results();
    TestNG runner = new TestNG(false);
    runner.setVerbose(0);
    runner.setXmlSuites(List.of(test.getSuite()));
    runner.addListener((org.testng.ITestNGListener) results);
    runner.run();
    assertThat(results.failures).as(suite.getSimpleName()).isEmpty();
    assertThat(results.passed).as(suite.getSimpleName()).hasSize(tests);
  }

  private static final class Results extends TestListenerAdapter {
    private final List<String> passed = new ArrayList<>();
    private final List<String> failures = new ArrayList<>();

    @Override
    public void onTestSuccess(ITestResult result) {
      passed.add(result.getMethod().getMethodName());
    }

    @Override
    public void onTestFailure(ITestResult result) {
      note(result);
    }

    @Override
    public void onTestSkipped(ITestResult result) {
      note(result);
    }

    @Override
    public void onConfigurationFailure(ITestResult result) {
      note(result);
    }

    private void note(ITestResult result) {
      failures.add(result.getMethod().getMethodName() + ": " + result.getThrowable());
      if (result.getThrowable() != null) {
        result.getThrowable().printStackTrace(System.out);
      }
    }
  }
}

package org.iq80.leveldb.impl;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.testng.ITestResult;
import org.testng.TestListenerAdapter;
import org.testng.TestNG;
import org.testng.xml.XmlClass;
import org.testng.xml.XmlSuite;
import org.testng.xml.XmlTest;

/** Runs iq80's own ApiTest and DbImplTest, as far as they use only what the API offers. */
class Iq80SuitesTest {
  private static final int TESTS = 40;

  private static final String NOT_IN_THE_API = "looks into versions, which the API does not show";

  /** The tests that are left out, each with its reason. */
  private static final Map<String, String> LEFT_OUT =
      Map.of(
          "testDeletionMarkers1", NOT_IN_THE_API,
          "testDeletionMarkers2", NOT_IN_THE_API,
          "testHiddenValuesAreRemoved", NOT_IN_THE_API,
          "testSparseMerge", NOT_IN_THE_API,
          "testCantCreateDirectoryReturnMessage", "would create /foo if root runs the build");

  /** Writes five million entries: with -Psuites only. */
  private static final String LONG_RUNNING = "testCompactionsOnBigDataSet";

  private static List<String> leftOut() {
    List<String> names = new ArrayList<>(LEFT_OUT.keySet());
    if (!Boolean.getBoolean("kv.suites")) {
      names.add(LONG_RUNNING);
    }
    return names;
  }

  @TestFactory
  Stream<DynamicTest> suites_ofIq80_pass() {
    XmlTest test = new XmlTest(new XmlSuite());
    for (Class<?> type : List.of(ApiTest.class, DbImplTest.class)) {
      XmlClass suite = new XmlClass(type);
      suite.setExcludedMethods(leftOut());
      test.getXmlClasses().add(suite);
    }
    Results results = new Results();
    TestNG runner = new TestNG(false);
    runner.setVerbose(0);
    runner.setXmlSuites(List.of(test.getSuite()));
    runner.addListener((org.testng.ITestNGListener) results);
    runner.run();
    assertThat(results.all).hasSize(TESTS - leftOut().size());
    return results.all.stream()
        .map(
            result ->
                DynamicTest.dynamicTest(
                    result.getTestClass().getRealClass().getSimpleName() + "." + result.getName(),
                    () -> {
                      if (!result.isSuccess()) {
                        throw result.getThrowable() == null
                            ? new AssertionError("status " + result.getStatus())
                            : result.getThrowable();
                      }
                    }));
  }

  private static final class Results extends TestListenerAdapter {
    private final List<ITestResult> all = new ArrayList<>();

    @Override
    public void onTestSuccess(ITestResult result) {
      all.add(result);
    }

    @Override
    public void onTestFailure(ITestResult result) {
      all.add(result);
    }

    @Override
    public void onTestSkipped(ITestResult result) {
      all.add(result);
    }
  }
}

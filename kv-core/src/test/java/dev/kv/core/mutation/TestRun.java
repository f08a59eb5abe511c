package dev.kv.core.mutation;

import static org.junit.platform.engine.discovery.DiscoverySelectors.selectClass;
import static org.junit.platform.engine.discovery.DiscoverySelectors.selectMethod;

import java.lang.reflect.Method;
import java.util.ArrayList;
import java.util.List;
import org.junit.platform.engine.DiscoverySelector;
import org.junit.platform.launcher.EngineFilter;
import org.junit.platform.launcher.core.LauncherDiscoveryRequestBuilder;
import org.junit.platform.launcher.core.LauncherFactory;
import org.junit.platform.launcher.listeners.SummaryGeneratingListener;
import org.junit.platform.launcher.listeners.TestExecutionSummary;

/** Runs the given tests, and exits with a code for their result. Each mutant has such a process. */
final class TestRun {
  static final int PASSED = 0;

  /** Not 1, with which a JVM ends that does not start or whose main method throws. */
  static final int FAILED = 10;

  static final int RAN_NOTHING = 2;

  /** This system does not run the test: it is disabled here, or an assumption does not hold. */
  static final int SKIPPED = 3;

  /** Before each failure in the output. */
  static final String FAILURE = "failed: ";

  private TestRun() {}

  /** Runs {@code args}, each a class or {@code class#method} below {@code dev.kv.core}. */
  public static void main(String[] args) throws ClassNotFoundException {
    List<DiscoverySelector> tests = new ArrayList<>();
    for (String arg : args) {
      String[] parts = arg.split("#");
      Class<?> type = Class.forName("dev.kv.core." + parts[0]);
      if (parts.length == 1) {
        tests.add(selectClass(type));
      } else {
        tests.add(selectMethod(type, method(type, parts[1])));
      }
    }
    SummaryGeneratingListener listener = new SummaryGeneratingListener();
    LauncherFactory.create()
        .execute(
            LauncherDiscoveryRequestBuilder.request()
                .selectors(tests)
                .filters(EngineFilter.includeEngines("junit-jupiter"))
                .build(),
            listener);
    TestExecutionSummary summary = listener.getSummary();
    summary.getFailures().forEach(failure -> System.out.println(FAILURE + failure.getException()));
    System.exit(
        summary.getTotalFailureCount() > 0
            ? FAILED
            : summary.getTestsSucceededCount() > 0
                ? PASSED
                : summary.getTestsAbortedCount() + summary.getTestsSkippedCount() > 0
                    ? SKIPPED
                    : RAN_NOTHING);
  }

  private static Method method(Class<?> type, String name) {
    for (Method method : type.getDeclaredMethods()) {
      if (method.getName().equals(name)) {
        return method;
      }
    }
    throw new IllegalArgumentException(type + " has no " + name);
  }
}

package dev.kv.map;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.collect.testing.ConcurrentNavigableMapTestSuiteBuilder;
import com.google.common.collect.testing.TestStringSortedMapGenerator;
import com.google.common.collect.testing.features.CollectionFeature;
import com.google.common.collect.testing.features.CollectionSize;
import com.google.common.collect.testing.features.MapFeature;
import com.google.common.collect.testing.testers.MapEntrySetTester;
import dev.kv.DB;
import dev.kv.Options;
import dev.kv.env.Env;
import dev.kv.space.Space;
import dev.kv.tuple.Tuples;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import junit.framework.TestFailure;
import junit.framework.TestResult;
import junit.framework.TestSuite;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DynamicContainer;
import org.junit.jupiter.api.DynamicNode;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.TestFactory;

/**
 * Guava's tests of the contracts of NavigableMap and ConcurrentMap, which include those of all
 * views and of their views. Each test has a space of its own in one database.
 *
 * <p>These features are off:
 *
 * <ul>
 *   <li>null keys and values: no ConcurrentNavigableMap has them;
 *   <li>serialization: a map is a view of a database, which cannot be serialized;
 *   <li>ConcurrentModificationException: iterators are weakly consistent;
 *   <li>setValue of an entry: entries are copies, as those of ConcurrentSkipListMap.
 * </ul>
 */
@Tag("one-jdk")
class DBMapCollectionsTest {
  /** The test cases of a suite that are reported as one test; each as its own takes seconds. */
  private static final int MOST_CASES = 200;

  private static DB db;
  private static int spaces;

  @BeforeAll
  static void open() {
    Options options = Options.builder().createIfMissing(true).env(Env.inMemory()).build();
    db = DB.open(Path.of("maps"), options);
  }

  @AfterAll
  static void close() {
    db.close();
  }

  private static final class Generator extends TestStringSortedMapGenerator {
    @Override
    protected SortedMap<String, String> create(Map.Entry<String, String>[] entries) {
      Space space = Space.of(db, Tuples.pack(spaces++));
      DBMap<String, String> map = DBMap.of(space, Codecs.utf8(), Codecs.utf8());
      for (Map.Entry<String, String> entry : entries) {
        map.put(entry.getKey(), entry.getValue());
      }
      return map;
    }
  }

  @TestFactory
  DynamicNode contracts_ofMapsAndTheirViews_hold() {
    TestSuite suite =
        ConcurrentNavigableMapTestSuiteBuilder.using(new Generator())
            .named("DBMap")
            .withFeatures(
                CollectionSize.ANY,
                CollectionFeature.KNOWN_ORDER,
                CollectionFeature.SUPPORTS_ITERATOR_REMOVE,
                MapFeature.GENERAL_PURPOSE)
            .suppressing(
                MapEntrySetTester.getSetValueMethod(),
                MapEntrySetTester.getIteratorSetValueAndRemove(),
                MapEntrySetTester.getSetValueWithNullValuesPresentMethod(),
                MapEntrySetTester.getSetValueWithNullValuesAbsentMethod())
            .createTestSuite();
    assertThat(suite.countTestCases()).isGreaterThan(1000);
    return node(suite);
  }

  /** Returns one test for a small suite, and a container of its parts for a large one. */
  private static DynamicNode node(junit.framework.Test test) {
    if (test instanceof TestSuite suite && suite.countTestCases() > MOST_CASES) {
      return DynamicContainer.dynamicContainer(
          suite.getName(),
          Collections.list(suite.tests()).stream().map(DBMapCollectionsTest::node));
    }
    return DynamicTest.dynamicTest(name(test), () -> run(test));
  }

  private static String name(junit.framework.Test test) {
    return test instanceof TestSuite suite ? suite.getName() : test.toString();
  }

  /** Runs all test cases, and throws an error that names those that failed. */
  private static void run(junit.framework.Test cases) {
    TestResult result = new TestResult();
    cases.run(result);
    List<TestFailure> failures = new ArrayList<>(Collections.list(result.errors()));
    failures.addAll(Collections.list(result.failures()));
    if (!failures.isEmpty()) {
      AssertionError failed = new AssertionError(failures.toString());
      failures.forEach(failure -> failed.addSuppressed(failure.thrownException()));
      throw failed;
    }
  }
}

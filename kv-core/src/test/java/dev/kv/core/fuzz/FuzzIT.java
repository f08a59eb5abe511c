package dev.kv.core.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Timeout;

/**
 * The targets under Jazzer: over the corpus, which lies beside this class among the resources, or,
 * with {@code JAZZER_FUZZ=1} in the environment and one method chosen, guided by coverage until
 * something is found.
 */
@Timeout(120)
class FuzzIT {
  @FuzzTest
  void logReader(byte[] input) {
    FuzzTargets.logReader(input);
  }

  @FuzzTest
  void versionEdit(byte[] input) {
    FuzzTargets.versionEdit(input);
  }

  @FuzzTest
  void blockIterator(byte[] input) {
    FuzzTargets.blockIterator(input);
  }

  @FuzzTest
  void table(byte[] input) {
    FuzzTargets.table(input);
  }

  @FuzzTest
  void batch(byte[] input) {
    FuzzTargets.batch(input);
  }

  @FuzzTest
  void fileNames(byte[] input) {
    FuzzTargets.fileNames(input);
  }

  @FuzzTest
  void directory(byte[] input) {
    FuzzTargets.directory(input);
  }

  @FuzzTest
  void repairAndDump(byte[] input) {
    FuzzTargets.repairAndDump(input);
  }
}

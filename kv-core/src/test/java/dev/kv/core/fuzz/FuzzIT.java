package dev.kv.core.fuzz;

import com.code_intelligence.jazzer.junit.FuzzTest;
import org.junit.jupiter.api.Timeout;

/**
 * Runs the targets with Jazzer over the corpus, which is in the resources of this class. If {@code
 * JAZZER_FUZZ=1} is in the environment and one method is selected, Jazzer fuzzes, guided by
 * coverage, until it finds a failure. The methods have the names of the targets.
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

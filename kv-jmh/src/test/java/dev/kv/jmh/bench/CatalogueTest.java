package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class CatalogueTest {

  private static Catalogue catalogue(String... args) {
    DbBenchCommand command = new DbBenchCommand(System.out);
    new CommandLine(command).parseArgs(args);
    return new Catalogue(command.flags);
  }

  @Test
  void plan_everyName_isThere() {
    Catalogue catalogue = catalogue();
    for (String name : Catalogue.NAMES) {
      assertThat(catalogue.plan(name).name()).isEqualTo(name);
    }
  }

  @Test
  void parse_default_isAllKnown() {
    assertThat(Catalogue.parse(Catalogue.DEFAULT)).startsWith("fillseq").endsWith("snappyuncomp");
  }

  @Test
  void parse_unknownName_isRefusedWithTheNames() {
    assertThatThrownBy(() -> Catalogue.parse("fillseq,nonsense"))
        .hasMessageContaining("nonsense")
        .hasMessageContaining("readrandom");
  }

  @Test
  void plan_fillsync_isAThousandthAndSynced() {
    WriteTask task = (WriteTask) catalogue("--num=50000").plan("fillsync").task();
    assertThat(task.entries()).isEqualTo(50);
    assertThat(task.sync()).isTrue();
    assertThat(task.workload().keySpace()).isEqualTo(50_000);
  }

  @Test
  void plan_fill100K_isAThousandthOfLargeValues() {
    WriteTask task = (WriteTask) catalogue("--num=50000").plan("fill100K").task();
    assertThat(task.entries()).isEqualTo(50);
    assertThat(task.workload().valueSize()).isEqualTo(100_000);
  }

  @Test
  void plan_readhot_readsOneInAHundred() {
    PointReadTask task =
        (PointReadTask) catalogue("--num=50000", "--reads=10").plan("readhot").task();
    assertThat(task.range()).isEqualTo(500);
    assertThat(task.workload().reads()).isEqualTo(10);
  }

  @Test
  void flags_switches_takeDbBenchForm() {
    DbBenchCommand command = new DbBenchCommand(System.out);
    CommandLine line = new CommandLine(command);
    line.parseArgs("--histogram=1", "--compression=0");
    assertThat(command.flags.histogram).isTrue();
    assertThat(command.flags.compression).isFalse();
    line.parseArgs();
    assertThat(command.flags.histogram).isFalse();
    assertThat(command.flags.compression).isTrue();
  }
}

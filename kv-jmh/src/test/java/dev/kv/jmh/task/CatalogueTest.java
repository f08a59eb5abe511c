package dev.kv.jmh.task;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.jmh.workload.Workload;
import org.junit.jupiter.api.Test;

class CatalogueTest {

  private static Catalogue catalogue(long entries, long reads) {
    return new Catalogue(new Workload(entries, reads, 100, 0.5, 0), -1, 0);
  }

  @Test
  void plan_everyName_isThere() {
    Catalogue catalogue = catalogue(1_000_000, 1_000_000);
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
    WriteTask task = (WriteTask) catalogue(50_000, 50_000).plan("fillsync").task();
    assertThat(task.entries()).isEqualTo(50);
    assertThat(task.sync()).isTrue();
    assertThat(task.workload().keySpace()).isEqualTo(50_000);
  }

  @Test
  void plan_fill100K_isAThousandthOfLargeValues() {
    WriteTask task = (WriteTask) catalogue(50_000, 50_000).plan("fill100K").task();
    assertThat(task.entries()).isEqualTo(50);
    assertThat(task.workload().valueSize()).isEqualTo(100_000);
  }

  @Test
  void plan_readone_readsOneKeyInEveryThread() {
    PointReadTask task = (PointReadTask) catalogue(50_000, 10).plan("readone").task();
    assertThat(task.range()).isEqualTo(1);
  }

  @Test
  void plan_readhot_readsOneInAHundred() {
    PointReadTask task = (PointReadTask) catalogue(50_000, 10).plan("readhot").task();
    assertThat(task.range()).isEqualTo(500);
    assertThat(task.workload().reads()).isEqualTo(10);
    assertThat(task.kind()).isEqualTo(PointReadTask.Kind.PRESENT);
  }

  @Test
  void plan_readnewest_isReadhotWithEveryWriteSeen() {
    PointReadTask task = (PointReadTask) catalogue(50_000, 10).plan("readnewest").task();
    assertThat(task.range()).isEqualTo(500);
    assertThat(task.kind()).isEqualTo(PointReadTask.Kind.NEWEST);
  }
}

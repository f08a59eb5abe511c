package dev.kv.jmh.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.jmh.workload.Workload;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;

class DbBenchFlagsTest {
  private final DbBenchCommand command = new DbBenchCommand(System.out);
  private final CommandLine line = new CommandLine(command);

  @Test
  void parse_switches_takeDbBenchForm() {
    line.parseArgs("--histogram=1", "--compression=0");
    assertThat(command.flags.histogram).isTrue();
    assertThat(command.flags.compression).isFalse();
    line.parseArgs();
    assertThat(command.flags.histogram).isFalse();
    assertThat(command.flags.compression).isTrue();
  }

  @Test
  void workload_withoutReads_readsAsManyAsEntries() {
    line.parseArgs("--num=50000");
    assertThat(command.flags.workload()).isEqualTo(new Workload(50_000, 50_000, 100, 0.5, 0));
  }

  @Test
  void workload_ofAllItsFlags_hasThem() {
    line.parseArgs(
        "--num=7", "--reads=10", "--value_size=33", "--compression_ratio=0.25", "--key_prefix=4");
    assertThat(command.flags.workload()).isEqualTo(new Workload(7, 10, 33, 0.25, 4));
  }
}

package dev.kv.infinispan.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Three nodes in processes of their own, with a distributed cache of two owners. One is killed
 * while entries are added, entries are changed and removed while it is away, and it comes back with
 * its files. Then another one is killed, so that the node that came back has to answer.
 *
 * <p>Entries that are in the cache are changed only while no segment is on its way: what Infinispan
 * transfers may replace what is written meanwhile, with every store. See src-docs/infinispan.md.
 */
@Tag("slow")
class ClusterIT {
  /** The quick size has so many times fewer entries, with values so many times larger. */
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 1 : 5;

  /** So many are added one by one, and the node is killed after the first of them. */
  private static final int ADDED = 10_000 / SCALE;

  private static final int ADDED_BEFORE_KILL = 1000 / SCALE;

  private enum Setting {
    /** The store of each node has two thirds of the entries, which is 107 MB. */
    STORE_LARGER_THAN_HEAP(100_000 / SCALE, 1600 * SCALE, 2000 / SCALE, false, 96),

    PASSIVATION(SCALE == 1 ? 100_000 : 10_000, 100 * SCALE, 10_000 / SCALE, true, 256);

    private final int entries;
    private final int valueLength;
    private final int inMemory;
    private final boolean passivation;
    private final int heapMegabytes;

    Setting(int entries, int valueLength, int inMemory, boolean passivation, int heapMegabytes) {
      this.entries = entries;
      this.valueLength = valueLength;
      this.inMemory = inMemory;
      this.passivation = passivation;
      this.heapMegabytes = heapMegabytes;
    }
  }

  @TempDir Path temp;

  @ParameterizedTest
  @EnumSource
  void killedNode_comesBack_andNothingIsLostOrRevived(Setting setting) throws Exception {
    NodeProcess[] nodes = new NodeProcess[3];
    try {
      nodes[0] = start(setting, 0);
      assertThat(nodes[0].answer()).isEqualTo("started");
      nodes[1] = start(setting, 1);
      nodes[2] = start(setting, 2);
      assertThat(nodes[1].answer()).isEqualTo("started");
      assertThat(nodes[2].answer()).isEqualTo("started");
      balanced(3, nodes[0], nodes[1], nodes[2]);

      int entries = setting.entries;
      int first = entries - ADDED;
      assertThat(nodes[0].ask("put 0 " + first)).isEqualTo("put");
      nodes[1].send("add " + first + " " + entries);
      nodes[1].awaitPut(first + ADDED_BEFORE_KILL);
      nodes[2].kill();
      assertThat(nodes[1].answer()).isEqualTo("put");
      assertThat(nodes[0].ask("check " + entries)).isEqualTo("right");
      balanced(2, nodes[0], nodes[1]);
      assertThat(nodes[1].ask("check " + entries)).isEqualTo("right");

      // Not with passivation: Infinispan may bring back what was removed, with every store
      boolean changed = !setting.passivation;
      int left = entries;
      if (changed) {
        assertThat(nodes[1].ask("change " + entries)).isEqualTo("changed");
        left -= entries / 10;
      }
      nodes[2] = start(setting, 2);
      assertThat(nodes[2].answer()).isEqualTo("started");
      balanced(3, nodes[0], nodes[1], nodes[2]);
      String check = (changed ? "check-changed " : "check ") + entries;
      assertThat(nodes[2].ask(check)).isEqualTo("right");
      long stored = 0;
      for (NodeProcess node : nodes) {
        assertThat(node.ask("owned")).isEqualTo("owned");
        stored += Long.parseLong(node.ask("stored"));
      }
      if (changed) {
        assertThat(nodes[2].ask("size")).isEqualTo(Integer.toString(left));
        assertThat(stored).as("entries with two owners").isEqualTo(2L * left);
      }

      nodes[0].kill();
      balanced(2, nodes[1], nodes[2]);
      // Each has all entries now: both check what is their own, at the same time
      nodes[1].send(check);
      nodes[2].send(check);
      assertThat(nodes[1].answer()).isEqualTo("right");
      assertThat(nodes[2].answer()).isEqualTo("right");
      assertThat(nodes[1].ask("keys")).isEqualTo(Integer.toString(left));
    } finally {
      for (NodeProcess node : nodes) {
        if (node != null) {
          node.close();
        }
      }
    }
  }

  private NodeProcess start(Setting setting, int number) throws IOException {
    Path discovery = Files.createDirectories(temp.resolve("discovery"));
    return NodeProcess.start(
        setting.heapMegabytes,
        temp.resolve("node" + number + ".log"),
        discovery,
        temp.resolve("node" + number).toString(),
        Integer.toString(setting.valueLength),
        Integer.toString(setting.inMemory),
        Boolean.toString(setting.passivation));
  }

  private static void balanced(int number, NodeProcess... nodes) throws InterruptedException {
    for (NodeProcess node : nodes) {
      assertThat(node.ask("balanced " + number)).isEqualTo("balanced");
    }
  }
}

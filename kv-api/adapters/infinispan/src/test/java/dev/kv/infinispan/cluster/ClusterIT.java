package dev.kv.infinispan.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;

/**
 * Three nodes in processes of their own, with a distributed cache of two owners. One is killed,
 * entries are changed and removed while it is away, and it comes back with its files. Then another
 * one is killed, so that the node that came back has to answer.
 */
@EnabledIfSystemProperty(named = "kv.long", matches = "true")
class ClusterIT {
  private static final int ENTRIES = 100_000;
  private static final int VALUE_LENGTH = 100;

  /** The number of entries that a node keeps in memory, too. */
  private static final int IN_MEMORY = 10_000;

  private static final int HEAP_MEGABYTES = 256;

  @TempDir Path temp;

  @Test
  void killedNode_comesBack_andNothingIsLostOrRevived() throws Exception {
    NodeProcess[] nodes = new NodeProcess[3];
    try {
      nodes[0] = start(0);
      assertThat(nodes[0].answer()).isEqualTo("started");
      nodes[1] = start(1);
      nodes[2] = start(2);
      assertThat(nodes[1].answer()).isEqualTo("started");
      assertThat(nodes[2].answer()).isEqualTo("started");
      balanced(3, nodes[0], nodes[1], nodes[2]);

      put(nodes[0], 0, ENTRIES, 1);
      assertThat(check(nodes[1], ENTRIES, 1)).isEqualTo("right");

      put(nodes[1], 0, ENTRIES, 2);
      nodes[2].kill();
      assertThat(check(nodes[0], ENTRIES, 2)).isEqualTo("right");
      balanced(2, nodes[0], nodes[1]);
      assertThat(check(nodes[1], ENTRIES, 2)).isEqualTo("right");

      assertThat(nodes[1].ask("change " + ENTRIES)).isEqualTo("changed");
      int left = ENTRIES - ENTRIES / 10;
      nodes[2] = start(2);
      assertThat(nodes[2].answer()).isEqualTo("started");
      balanced(3, nodes[0], nodes[1], nodes[2]);
      assertThat(check(nodes[2], ENTRIES, 3)).isEqualTo("right");
      assertThat(nodes[2].ask("size")).isEqualTo(Integer.toString(left));
      long stored = 0;
      for (NodeProcess node : nodes) {
        assertThat(node.ask("owned")).isEqualTo("owned");
        stored += Long.parseLong(node.ask("stored"));
      }
      assertThat(stored).as("entries with two owners").isEqualTo(2L * left);

      nodes[0].kill();
      balanced(2, nodes[1], nodes[2]);
      assertThat(check(nodes[1], ENTRIES, 3)).isEqualTo("right");
      assertThat(check(nodes[2], ENTRIES, 3)).isEqualTo("right");
      assertThat(nodes[1].ask("size")).isEqualTo(Integer.toString(left));
    } finally {
      for (NodeProcess node : nodes) {
        if (node != null) {
          node.close();
        }
      }
    }
  }

  private NodeProcess start(int number) throws IOException {
    Path discovery = Files.createDirectories(temp.resolve("discovery"));
    return NodeProcess.start(
        HEAP_MEGABYTES,
        temp.resolve("node" + number + ".log"),
        discovery,
        temp.resolve("node" + number).toString(),
        Integer.toString(VALUE_LENGTH),
        Integer.toString(IN_MEMORY));
  }

  private static void balanced(int number, NodeProcess... nodes) throws InterruptedException {
    for (NodeProcess node : nodes) {
      assertThat(node.ask("balanced " + number)).isEqualTo("balanced");
    }
  }

  private static void put(NodeProcess node, int from, int to, int version)
      throws InterruptedException {
    assertThat(node.ask("put " + from + " " + to + " " + version)).isEqualTo("put");
  }

  private static String check(NodeProcess node, int entries, int version)
      throws InterruptedException {
    return node.ask("check " + entries + " " + version);
  }
}

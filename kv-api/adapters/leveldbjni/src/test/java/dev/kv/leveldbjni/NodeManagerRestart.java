package dev.kv.leveldbjni;

import java.io.File;
import java.io.IOException;
import org.fusesource.leveldbjni.JniDBFactory;
import org.iq80.leveldb.Options;
import org.slf4j.LoggerFactory;

/**
 * What YARN's NodeManager does with its state store when it starts again, after {@link
 * NodeManagerLoad} and in another JVM. Prints the microseconds of the first restart, in which all
 * code of the library is interpreted and the log of the run before is recovered, and of restarts
 * after so many that the code is compiled. Then destroys the database.
 *
 * <p>The logging is started before: a NodeManager has long been logging when it opens its store.
 */
final class NodeManagerRestart {
  private static final int WARM_UP = 100;
  private static final int RUNS = 20;

  private NodeManagerRestart() {}

  public static void main(String[] arguments) throws IOException {
    File directory = new File(arguments[0]);
    LoggerFactory.getLogger(NodeManagerRestart.class).info("starts again");
    NodeManagerLoad.Timer first = new NodeManagerLoad.Timer("restart in a new JVM");
    first.time(() -> NodeManagerLoad.restart(directory));
    for (int i = 0; i < WARM_UP; i++) {
      NodeManagerLoad.restart(directory);
    }
    NodeManagerLoad.Timer warm = new NodeManagerLoad.Timer("restart, warm");
    for (int i = 0; i < RUNS; i++) {
      warm.time(() -> NodeManagerLoad.restart(directory));
    }
    first.print();
    warm.print();
    JniDBFactory.factory.destroy(directory, new Options());
  }
}

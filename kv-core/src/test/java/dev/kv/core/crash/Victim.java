package dev.kv.core.crash;

import dev.kv.DB;
import dev.kv.env.Env;
import dev.kv.testing.FaultEnv;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;

/**
 * The child process that {@link KillLoopTest} kills. It opens a database and continues the
 * histories in it, each on a thread. It prints {@code <history> <number>} for each acknowledged
 * batch. If it has a kill point and reaches it, it prints {@code point}, and that thread stops
 * there. Beside the database it writes checkpoints, {@code checkpoint-<number>}, each of them after
 * the batch of the first history with that number. One more thread loads {@link Loading}s, and
 * prints {@code loading <number>} before and {@code loaded <number>} after each of them.
 *
 * <p>Arguments: directory, setting, seed, number of histories, kill point ({@code KIND suffix}, or
 * {@code -}), and the number of the occurrence at which to stop.
 */
final class Victim {
  /**
   * The number of batches after which the process reopens the database, so that opens and closes
   * are interrupted too.
   */
  private static final int BATCHES_PER_OPEN = 60;

  /** The number of batches of the first history after which it writes a checkpoint. */
  private static final int BATCHES_PER_CHECKPOINT = 20;

  /** The number of loads between two opens. */
  private static final int LOADS_PER_OPEN = 8;

  private Victim() {}

  static History history(long seed, int index) {
    return new History("h" + index, seed * 10 + index, 50, 2500, seed % 2 == 0 ? 5 : 0);
  }

  public static void main(String[] args) throws InterruptedException {
    Path directory = Path.of(args[0]);
    Setting setting = Setting.valueOf(args[1]);
    long seed = Long.parseLong(args[2]);
    int histories = Integer.parseInt(args[3]);
    PrintStream out = System.out;
    FaultEnv env = new FaultEnv(Env.fileSystem());
    if (!args[4].equals("-")) {
      stopAt(env, args[4], Long.parseLong(args[5]), out);
    }
    say(out, "opening");
    while (true) {
      DB db = DB.open(directory, setting.options(env));
      say(out, "open");
      Thread[] writers = new Thread[histories + 1];
      for (int i = 0; i <= histories; i++) {
        int index = i;
        writers[i] =
            new Thread(
                index == histories
                    ? () -> load(db, directory, out)
                    : () -> write(db, history(seed, index), index, directory, out));
        writers[i].setUncaughtExceptionHandler(
            (thread, e) -> {
              e.printStackTrace();
              Runtime.getRuntime().halt(3);
            });
        writers[i].start();
      }
      for (Thread writer : writers) {
        writer.join();
      }
      db.admin().flush(); // the next open has nothing to recover
      db.close();
    }
  }

  private static void write(DB db, History history, int index, Path directory, PrintStream out) {
    int found = history.counter(db);
    for (int number = found + 1; number <= found + BATCHES_PER_OPEN; number++) {
      history.apply(db, number, number % 16 == 0);
      say(out, index + " " + number);
      if (index == 0 && number % BATCHES_PER_CHECKPOINT == 0) {
        db.admin().checkpoint(directory.resolveSibling("checkpoint-" + number));
      }
    }
  }

  private static void load(DB db, Path directory, PrintStream out) {
    int found = Loading.find(db);
    for (int number = found + 1; number <= found + LOADS_PER_OPEN; number++) {
      say(out, "loading " + number);
      Loading.load(db, number, directory.resolveSibling("ingest-" + System.nanoTime()));
      say(out, "loaded " + number);
    }
  }

  private static void stopAt(FaultEnv env, String point, long occurrence, PrintStream out) {
    FaultEnv.Kind kind = FaultEnv.Kind.valueOf(point.substring(0, point.indexOf(' ')));
    String name = point.substring(point.indexOf(' ') + 1);
    AtomicLong count = new AtomicLong();
    env.watch(
        operation -> {
          if (operation.kind() == kind
              && operation.path().toString().contains(name)
              && count.incrementAndGet() == occurrence) {
            say(out, "point");
            while (true) {
              LockSupport.park();
            }
          }
        });
  }

  private static void say(PrintStream out, String line) {
    synchronized (out) {
      out.print(line + "\n");
      out.flush();
    }
  }
}

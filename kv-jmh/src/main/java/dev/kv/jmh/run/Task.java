package dev.kv.jmh.run;

/** The work of each thread of a benchmark. It calls its meter for each operation. */
public interface Task {
  /** Runs the task on a thread. */
  void run(BenchThread thread);

  /** Returns true if it is measured; otherwise only its message is printed. */
  default boolean measured() {
    return true;
  }
}

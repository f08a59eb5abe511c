package dev.kv.jmh.task;

/** The work of each thread of a benchmark. It calls its meter for each operation. */
interface Task {
  /** Runs the task on a thread. */
  void run(BenchThread thread);
}

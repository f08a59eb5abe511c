package dev.kv.jmh.task;

/** What each thread of a benchmark does, with a tick of its meter for each operation. */
interface Task {
  /** Does it. */
  void run(BenchThread thread);
}

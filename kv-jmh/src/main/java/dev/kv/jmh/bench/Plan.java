package dev.kv.jmh.bench;

/**
 * One benchmark: what its threads do, and on what.
 *
 * @param name the name that it was asked for by
 * @param fresh whether it begins with an empty database
 * @param writes whether it writes
 * @param extraThreads threads besides those of the flag
 * @param task what each thread does
 */
record Plan(String name, boolean fresh, boolean writes, int extraThreads, Task task) {

  /** A benchmark that reads. */
  static Plan read(String name, Task task) {
    return new Plan(name, false, false, 0, task);
  }

  /** A benchmark that writes into what is there. */
  static Plan write(String name, Task task) {
    return new Plan(name, false, true, 0, task);
  }

  /** A benchmark that fills an empty database. */
  static Plan fill(String name, Task task) {
    return new Plan(name, true, true, 0, task);
  }
}

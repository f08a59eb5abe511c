package dev.kv.jmh.task;

/** One benchmark: what its threads do, and on what. Immutable. */
public final class Plan {
  private final String name;
  private final boolean fresh;
  private final boolean writes;
  private final int extraThreads;
  private final Task task;

  Plan(String name, boolean fresh, boolean writes, int extraThreads, Task task) {
    this.name = name;
    this.fresh = fresh;
    this.writes = writes;
    this.extraThreads = extraThreads;
    this.task = task;
  }

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

  /** Returns the name that it was asked for by. */
  public String name() {
    return name;
  }

  /** Returns whether it begins with an empty database. */
  public boolean fresh() {
    return fresh;
  }

  /** Returns the threads besides those of the flag. */
  public int extraThreads() {
    return extraThreads;
  }

  /** Returns whether it is measured; one that is not shows its message alone. */
  public boolean measured() {
    return !(task instanceof PropertyTask);
  }

  /** Returns whether it writes. */
  boolean writes() {
    return writes;
  }

  /** Returns what each thread does. */
  Task task() {
    return task;
  }
}

package dev.kv.jmh.run;

/** One benchmark: what its threads do, and on which database. Immutable. */
public final class Plan {
  private final String name;
  private final boolean fresh;
  private final boolean writes;
  private final int extraThreads;
  private final Task task;

  /** Creates a plan. */
  public Plan(String name, boolean fresh, boolean writes, int extraThreads, Task task) {
    this.name = name;
    this.fresh = fresh;
    this.writes = writes;
    this.extraThreads = extraThreads;
    this.task = task;
  }

  /** Returns a benchmark that reads. */
  public static Plan read(String name, Task task) {
    return new Plan(name, false, false, 0, task);
  }

  /** Returns a benchmark that writes to the present database. */
  public static Plan write(String name, Task task) {
    return new Plan(name, false, true, 0, task);
  }

  /** Returns a benchmark that fills an empty database. */
  public static Plan fill(String name, Task task) {
    return new Plan(name, true, true, 0, task);
  }

  /** Returns the name of the benchmark. */
  public String name() {
    return name;
  }

  /** Returns true if it begins with an empty database. */
  public boolean fresh() {
    return fresh;
  }

  /** Returns the number of threads in addition to those of the flag. */
  public int extraThreads() {
    return extraThreads;
  }

  /** Returns true if it is measured; otherwise only its message is printed. */
  public boolean measured() {
    return task.measured();
  }

  /** Returns true if it writes. */
  public boolean writes() {
    return writes;
  }

  /** Returns the task of each thread. */
  public Task task() {
    return task;
  }
}

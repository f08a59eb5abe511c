package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;

/**
 * Prints a property of the store.
 *
 * @param property LevelDB's name of the property
 */
record PropertyTask(String property) implements Task {

  @Override
  public void run(BenchThread thread) {
    String text = thread.store().property(property);
    thread.say(text == null ? " (failed)" : "\n" + text.stripTrailing());
  }

  @Override
  public boolean measured() {
    return false;
  }
}

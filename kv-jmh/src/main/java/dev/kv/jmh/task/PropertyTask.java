package dev.kv.jmh.task;

/**
 * Shows what the store keeps under a property's name.
 *
 * @param property LevelDB's name of it
 */
record PropertyTask(String property) implements Task {

  @Override
  public void run(BenchThread thread) {
    String text = thread.store().property(property);
    thread.say(text == null ? " (failed)" : "\n" + text.stripTrailing());
  }
}

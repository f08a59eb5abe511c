package dev.kv.jmh.workload;

/** The numbers from 0 on, each once, in a random order that is the same in each run. Immutable. */
public final class ShuffledNumbers {
  private static final int SEED = 301;

  private final int[] numbers;

  /** Creates {@code count} numbers. */
  public ShuffledNumbers(int count) {
    numbers = new int[count];
    LehmerRandom random = new LehmerRandom(SEED);
    for (int i = 0; i < count; i++) {
      int other = (int) random.uniform(i + 1L);
      numbers[i] = numbers[other];
      numbers[other] = i;
    }
  }

  /** Returns how many there are. */
  public int count() {
    return numbers.length;
  }

  /** Returns the number at a place. */
  public int at(int index) {
    return numbers[index];
  }
}

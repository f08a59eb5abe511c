package dev.kv.core.memory;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** Two threads that use objects of one pool, at the same time or in turn: no use is lost. */
@JCStressTest
@Outcome(id = "2", expect = ACCEPTABLE, desc = "each use is counted")
@Outcome(expect = FORBIDDEN, desc = "both used the object, or one saw an old state of it")
@State
public class ObjectPoolStress {
  private final ObjectPool<Counter> pool = new ObjectPool<>(1, Counter::new, counter -> {});
  private Counter first = new Counter();
  private Counter second = new Counter();

  /** Creates a pool with one free object. */
  public ObjectPoolStress() {
    pool.release(pool.acquire(0), 0);
  }

  /** Uses an object. */
  @Actor
  public void first() {
    first = use();
  }

  /** Uses an object. */
  @Actor
  public void second() {
    second = use();
  }

  private Counter use() {
    Counter counter = pool.acquire(0);
    counter.uses++;
    pool.release(counter, 0);
    return counter;
  }

  /** Adds up the uses. */
  @Arbiter
  public void sum(I_Result result) {
    result.r1 = first == second ? first.uses : first.uses + second.uses;
  }

  /** An object whose state is a plain field. */
  private static final class Counter {
    private int uses;
  }
}

package dev.kv.core.iterator;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.kv.errors.DBClosedException;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.Arbiter;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.ZI_Result;

/**
 * A cursor moves while its database closes. The pins are released once, and not during the move.
 * The second pass over the cursors, which the close makes, is the arbiter.
 */
@JCStressTest
@Outcome(id = "false, 1", expect = ACCEPTABLE, desc = "released once, outside the move")
@Outcome(expect = FORBIDDEN, desc = "released during the move, twice, or not at all")
@State
public class CursorGuardStress {
  private final Guard guard = new Guard();

  /** Moves the cursor. */
  @Actor
  public void mover() {
    try {
      guard.beginMove();
    } catch (DBClosedException e) {
      return;
    }
    guard.moving = true;
    guard.moving = false;
    guard.abandonMove();
  }

  /** Closes the database. */
  @Actor
  public void closer() {
    guard.revoke();
  }

  /** Closes what is left. */
  @Arbiter
  public void secondPass(ZI_Result result) {
    guard.revoke();
    result.r1 = guard.releasedInAMove;
    result.r2 = guard.releases;
  }

  /** Counts releases. The fields are plain, so that only the guard orders them. */
  private static final class Guard extends CursorGuard {
    private boolean moving;
    private boolean releasedInAMove;
    private int releases;

    @Override
    protected void release() {
      releasedInAMove |= moving;
      releases++;
    }
  }
}

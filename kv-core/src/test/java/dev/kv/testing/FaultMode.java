package dev.kv.testing;

import dev.kv.testing.FaultEnv.Fault;

/** A way in which an operation of the environment fails. */
public enum FaultMode {
  ONCE(Fault.ERROR, false),
  FOREVER(Fault.ERROR, true),
  SHORT(Fault.SHORT, false),
  TORN(Fault.TORN, false),
  DISK_FULL(Fault.NO_SPACE, true),
  SYNCS_FAIL(Fault.SYNC, true);

  private final Fault fault;
  private final boolean forever;

  FaultMode(Fault fault, boolean forever) {
    this.fault = fault;
    this.forever = forever;
  }

  /** Lets the operation with the number {@code k} fail, and the later ones if this mode says so. */
  public void inject(FaultEnv env, long k) {
    if (forever) {
      env.failFrom(k, fault);
    } else {
      env.failOnce(k, fault);
    }
  }
}

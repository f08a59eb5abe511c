package dev.kv.core.memory;

import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;

/** Handles of fields, for accesses in a chosen mode; each is kept in a static final field. */
public final class FieldHandles {
  private FieldHandles() {}

  /** Returns the handle of a field of the class that {@code owner} looks from. */
  public static VarHandle of(MethodHandles.Lookup owner, String field, Class<?> type) {
    try {
      return owner.findVarHandle(owner.lookupClass(), field, type);
    } catch (ReflectiveOperationException e) {
      throw new ExceptionInInitializerError(e);
    }
  }
}

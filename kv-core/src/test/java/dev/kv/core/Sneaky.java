package dev.kv.core;

/** Throws checked exceptions that Java does not allow, as code in Kotlin and Scala may. */
public final class Sneaky {
  private Sneaky() {}

  /**
   * Throws {@code thrown}.
   *
   * @param thrown any exception
   * @return nothing; for a throw statement of the caller
   */
  public static RuntimeException unchecked(Throwable thrown) {
    throw Sneaky.<RuntimeException>as(thrown);
  }

  @SuppressWarnings({"unchecked", "TypeParameterUnusedInFormals"})
  private static <E extends Throwable> E as(Throwable thrown) throws E {
    throw (E) thrown;
  }
}

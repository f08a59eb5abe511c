package org.fusesource.leveldbjni;

/** An empty class, which leveldbjni's jar with all platforms has too. */
public class All {
  /** Creates an instance, as in leveldbjni. */
  public All() {}
}

package org.fusesource.leveldbjni.internal;

import dev.kv.iq80.KvDB;

/** A database, under the name that leveldbjni gives it. Thread-safe. */
public class JniDB extends KvDB {
  /**
   * Gives a database this name.
   *
   * @param db the database, which is used through this object alone from now on
   */
  public JniDB(KvDB db) {
    super(db);
  }
}

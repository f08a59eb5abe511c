/** The API of kv. */
module dev.kv.api {
  requires static transitive org.jspecify;

  uses dev.kv.DBFactory;

  exports dev.kv;
}

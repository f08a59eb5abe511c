/** The API of kv. */
module dev.kv.api {
  requires static transitive org.jspecify;

  exports dev.kv;
}

/** The API of kv. */
module dev.kv.api {
  requires static transitive org.jspecify;

  uses dev.kv.DBFactory;
  uses dev.kv.env.EnvProvider;

  exports dev.kv;
  exports dev.kv.backup;
  exports dev.kv.env;
  exports dev.kv.event;
  exports dev.kv.map;
  exports dev.kv.space;
  exports dev.kv.ttl;
  exports dev.kv.tuple;
}

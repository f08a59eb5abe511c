/** The API of kv. */
module dev.kv.api {
  requires static transitive org.jspecify;

  uses dev.kv.DBFactory;
  uses dev.kv.env.EnvProvider;

  exports dev.kv;
  exports dev.kv.admin;
  exports dev.kv.backup;
  exports dev.kv.bytes;
  exports dev.kv.change;
  exports dev.kv.env;
  exports dev.kv.errors;
  exports dev.kv.event;
  exports dev.kv.load;
  exports dev.kv.map;
  exports dev.kv.options;
  exports dev.kv.space;
  exports dev.kv.table;
  exports dev.kv.ttl;
  exports dev.kv.tuple;
  exports dev.kv.file to
      dev.kv.core,
      dev.kv.tools;
}

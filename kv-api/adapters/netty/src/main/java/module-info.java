/** Keys and values of kv as buffers of Netty. */
module dev.kv.netty {
  requires transitive dev.kv.api;
  requires transitive io.netty.buffer;
  requires static org.jspecify;

  exports dev.kv.netty;
}

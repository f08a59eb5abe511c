/** The engine of kv. Programs reach it through the API and name none of its packages. */
module dev.kv.core {
  requires transitive dev.kv.api;
  requires io.netty.buffer;
  requires io.netty.common;
  requires org.slf4j;
  requires static jdk.jfr;
  requires static com.github.luben.zstd_jni;
  requires static com.google.errorprone.annotations;
  requires static org.jspecify;
  requires static org.xerial.snappy;

  exports dev.kv.core.inspect to
      dev.kv.tools;

  uses org.slf4j.spi.SLF4JServiceProvider;

  provides dev.kv.DBFactory with
      dev.kv.core.db.DBFactoryImpl;
  provides dev.kv.env.EnvProvider with
      dev.kv.core.env.FileEnvProvider;
}

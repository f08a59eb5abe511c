/** The kv command line. */
module dev.kv.tools {
  requires dev.kv.api;
  requires dev.kv.core;
  requires com.fasterxml.jackson.core;
  requires info.picocli;
  requires HdrHistogram;
  requires org.jline.reader;
  requires org.jline.terminal;
  requires org.slf4j;
  requires static org.jspecify;

  provides org.slf4j.spi.SLF4JServiceProvider with
      dev.kv.tools.MessageLogging;

  opens dev.kv.tools to
      info.picocli;
}

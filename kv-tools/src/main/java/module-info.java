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
      dev.kv.tools.console.MessageLogging;

  opens dev.kv.tools to
      info.picocli;
  opens dev.kv.tools.backup to
      info.picocli;
  opens dev.kv.tools.bench to
      info.picocli;
  opens dev.kv.tools.database to
      info.picocli;
  opens dev.kv.tools.dump to
      info.picocli;
  opens dev.kv.tools.entries to
      info.picocli;
  opens dev.kv.tools.maintenance to
      info.picocli;
  opens dev.kv.tools.report to
      info.picocli;
  opens dev.kv.tools.shell to
      info.picocli;
  opens dev.kv.tools.stats to
      info.picocli;
  opens dev.kv.tools.text to
      info.picocli;
  opens dev.kv.tools.transfer to
      info.picocli;
  opens dev.kv.tools.verify to
      info.picocli;
}

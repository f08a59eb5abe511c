package dev.kv.core.logging;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.Children;
import dev.kv.env.Env;
import io.netty.util.internal.logging.InternalLogger;
import io.netty.util.internal.logging.InternalLoggerFactory;
import java.io.File;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.LoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMDCAdapter;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

class EngineLoggerTest {
  @TempDir Path temp;

  /** True if the program that ran last in a loader has made slf4j look for its provider. */
  private boolean usedSlf4j;

  /** A program that stores something, and then logs if it is told to. */
  static final class Program {
    private Program() {}

    public static void main(String[] arguments) {
      Options options = Options.builder().createIfMissing(true).build();
      Env unused = Env.fileSystem();
      try (DB db = DB.open(Path.of(arguments[0]), options)) {
        db.put(new byte[] {1}, new byte[] {2});
        db.admin().flush();
        db.get(new byte[] {1});
      }
      if (arguments.length > 1) {
        LoggerFactory.getLogger("program").info("hello");
      }
    }
  }

  @Test
  void programWithoutProvider_thatDoesNotLog_isSilent() throws Exception {
    assertThat(run(false)).isEmpty();
  }

  @Test
  void programWithoutProvider_thatLogs_getsTheNoticeOfSlf4j() throws Exception {
    assertThat(run(false, "log")).contains("No SLF4J providers were found");
  }

  @Test
  void programWithoutSlf4j_runsInSilence() throws Exception {
    assertThat(runWithout("slf4j")).isEmpty();
  }

  @Test
  void programWithProvider_getsTheMessagesOfTheEngine() throws Exception {
    assertThat(run(true))
        .contains("dev.kv.core.event.Events", "opened")
        .doesNotContain("No SLF4J providers");
  }

  private String run(boolean provider, String... more) throws IOException, InterruptedException {
    return runWithout(provider ? "no jar" : "slf4j-simple", more);
  }

  /** Runs the program without the jars whose paths contain a text, and returns what it prints. */
  private String runWithout(String jars, String... more) throws IOException, InterruptedException {
    String classPath =
        Arrays.stream(System.getProperty("java.class.path").split(File.pathSeparator))
            .filter(entry -> !entry.contains(jars))
            .collect(Collectors.joining(File.pathSeparator));
    List<String> arguments = new ArrayList<>(List.of(temp.resolve("db").toString()));
    arguments.addAll(List.of(more));
    List<String> flags = List.of("-Dorg.slf4j.simpleLogger.defaultLogLevel=info");
    Children.Ended child =
        Children.run(Children.command(flags, classPath, Program.class.getName(), arguments));
    assertThat(child.exitCode()).as(child.output()).isZero();
    return child.output();
  }

  // In class loaders of this JVM, which have the jars of a program.

  @Test
  void messages_ofEachLevel_reachTheProvider() throws Exception {
    assertThat(inLoader("slf4j-simple", true, Messages.class))
        .isEqualTo("debug true, info true: [DEBUG d 1, INFO i 2, WARN w 3, ERROR e 4]");
  }

  @Test
  void messages_withoutProvider_goNowhere() throws Exception {
    for (String jars : List.of("slf4j-simple", "slf4j")) {
      assertThat(inLoader(jars, false, Silence.class)).isEqualTo("debug false, info false");
    }
  }

  /** As the provider for log4j without log4j. */
  @ParameterizedTest
  @ValueSource(classes = {Unlinked.class, Failing.class})
  void database_besideAProviderThatDoesNotStart_logsNothing(
      Class<? extends SLF4JServiceProvider> provider) throws Exception {
    provide(provider);
    assertThat(inLoader("slf4j-simple", false, Storage.class)).isEqualTo("debug false, info false");
  }

  /** Netty would ask slf4j, which then prints its notice. */
  @Test
  void netty_withoutProvider_logsAsWithoutSlf4j() throws Exception {
    for (String jars : List.of("slf4j-simple", "slf4j")) {
      assertThat(inLoader(jars, false, NettyChoice.class)).isEqualTo("JdkLoggerFactory");
      assertThat(usedSlf4j).isFalse();
    }
    assertThat(inLoader("slf4j-simple", false, Slf4jUse.class)).isEqualTo("used");
    assertThat(usedSlf4j).as("as this test finds out").isTrue();
  }

  @Test
  void netty_withLog4jAndWithoutProvider_logsWithThat() throws Exception {
    Path source = Files.createDirectories(temp.resolve("source")).resolve("Logger.java");
    Files.writeString(source, "package org.apache.logging.log4j; public interface Logger {}");
    int result =
        ToolProvider.getSystemJavaCompiler()
            .run(null, null, null, "-d", temp.toString(), source.toString());
    assertThat(result).isZero();
    assertThat(inLoader("slf4j", false, NettyChoice.class)).isEqualTo("Log4J2LoggerFactory");
  }

  @Test
  void netty_withProviderOrAChoiceOfTheProgram_isLeftAlone() throws Exception {
    assertThat(inLoader("slf4j-simple", true, NettyChoice.class)).isEqualTo("Slf4JLoggerFactory");
    assertThat(inLoader("slf4j", false, OwnChoice.class)).isEqualTo("Own");
  }

  /**
   * Runs a program in a loader without the jars whose paths contain a text, and returns its result.
   */
  private String inLoader(String jars, boolean provider, Class<? extends Supplier<String>> program)
      throws Exception {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      if (!entry.contains(jars)) {
        urls.add(Path.of(entry).toUri().toURL());
      }
    }
    urls.add(temp.toUri().toURL());
    if (provider) {
      provide(Recorder.class);
    }
    try (ProgramLoader loader = new ProgramLoader(urls.toArray(URL[]::new))) {
      Object inside = loader.loadClass(program.getName()).getDeclaredConstructor().newInstance();
      String result = (String) ((Supplier<?>) inside).get();
      usedSlf4j = loader.hasLoaded("org.slf4j.helpers.NOPLoggerFactory");
      return result;
    }
  }

  private void provide(Class<? extends SLF4JServiceProvider> provider) throws IOException {
    Path services = Files.createDirectories(temp.resolve("META-INF/services"));
    Files.writeString(services.resolve(SLF4JServiceProvider.class.getName()), provider.getName());
  }

  /** A loader that knows what it has loaded. */
  private static final class ProgramLoader extends URLClassLoader {
    ProgramLoader(URL[] urls) {
      super(urls, ClassLoader.getPlatformClassLoader());
    }

    boolean hasLoaded(String name) {
      return findLoadedClass(name) != null;
    }
  }

  /** Uses slf4j. */
  public static final class Slf4jUse implements Supplier<String> {
    @Override
    public String get() {
      return LoggerFactory.getILoggerFactory() == null ? "not used" : "used";
    }
  }

  /** Logs one message of each level. */
  public static final class Messages implements Supplier<String> {
    @Override
    public String get() {
      EngineLogger log = EngineLogger.of(EngineLoggerTest.class);
      log.debug("d {}", 1);
      log.info("i {}", 2);
      log.warn("w {}", 3);
      log.error("e {}", 4);
      return enabled(log) + ": " + Recorder.MESSAGES;
    }
  }

  /** Does so if there is nothing to log with. */
  public static final class Silence implements Supplier<String> {
    @Override
    public String get() {
      EngineLogger log = EngineLogger.of(EngineLoggerTest.class);
      log.debug("d {}", 1);
      log.info("i {}", 2);
      log.warn("w {}", 3);
      log.error("e {}", 4);
      return enabled(log);
    }
  }

  /** Stores something, and tells what would be logged. */
  public static final class Storage implements Supplier<String> {
    @Override
    public String get() {
      Options options = Options.builder().createIfMissing(true).env(Env.inMemory()).build();
      try (DB db = DB.open(Path.of("db"), options)) {
        db.put(new byte[] {1}, new byte[] {2});
        db.admin().flush();
        assertThat(db.get(new byte[] {1})).containsExactly(2);
      }
      return enabled(EngineLogger.of(EngineLoggerTest.class));
    }
  }

  private static String enabled(EngineLogger log) {
    return "debug " + log.isDebugEnabled() + ", info " + log.isInfoEnabled();
  }

  /** What Netty logs with after the engine has prepared it. */
  public static final class NettyChoice implements Supplier<String> {
    @Override
    public String get() {
      EngineLogger.prepareNetty();
      return InternalLoggerFactory.getDefaultFactory().getClass().getSimpleName();
    }
  }

  /** The same if the program has chosen before. */
  public static final class OwnChoice implements Supplier<String> {
    /** What the program has chosen. */
    private static final class Own extends InternalLoggerFactory {
      @Override
      protected InternalLogger newInstance(String name) {
        throw new AssertionError(name);
      }
    }

    @Override
    public String get() {
      InternalLoggerFactory.setDefaultFactory(new Own());
      return new NettyChoice().get();
    }
  }

  /** A provider of slf4j that keeps the messages. */
  public static class Recorder implements SLF4JServiceProvider {
    static final List<String> MESSAGES = new ArrayList<>();

    private final BasicMarkerFactory markers = new BasicMarkerFactory();
    private final BasicMDCAdapter contexts = new BasicMDCAdapter();

    @Override
    public ILoggerFactory getLoggerFactory() {
      return Kept::new;
    }

    @Override
    public IMarkerFactory getMarkerFactory() {
      return markers;
    }

    @Override
    public MDCAdapter getMDCAdapter() {
      return contexts;
    }

    @Override
    public String getRequestedApiVersion() {
      return "2.0.99";
    }

    @Override
    public void initialize() {
      MESSAGES.clear();
    }

    private static final class Kept extends LegacyAbstractLogger {
      private static final long serialVersionUID = 1L;

      Kept(String name) {
        this.name = name;
      }

      @Override
      public boolean isTraceEnabled() {
        return false;
      }

      @Override
      public boolean isDebugEnabled() {
        return true;
      }

      @Override
      public boolean isInfoEnabled() {
        return true;
      }

      @Override
      public boolean isWarnEnabled() {
        return true;
      }

      @Override
      public boolean isErrorEnabled() {
        return true;
      }

      @Override
      protected String getFullyQualifiedCallerName() {
        return "";
      }

      @Override
      protected void handleNormalizedLoggingCall(
          Level level, Marker marker, String message, Object[] arguments, Throwable thrown) {
        MESSAGES.add(level + " " + MessageFormatter.arrayFormat(message, arguments).getMessage());
      }
    }
  }

  /** A provider that needs a class which is not there. */
  public static final class Unlinked extends Recorder {
    @Override
    public void initialize() {
      throw new NoClassDefFoundError("org/apache/log4j/Level");
    }
  }

  /** A provider that fails. */
  public static final class Failing extends Recorder {
    @Override
    public void initialize() {
      throw new IllegalStateException("no configuration");
    }
  }
}

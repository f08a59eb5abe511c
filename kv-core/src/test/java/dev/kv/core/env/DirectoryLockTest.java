package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.env.Env;
import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.lang.ref.WeakReference;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.DisabledOnOs;
import org.junit.jupiter.api.condition.OS;
import org.junit.jupiter.api.io.TempDir;

final class DirectoryLockTest {
  @TempDir private Path temp;
  private final Env env = new FileEnv();
  private Path dir;
  private Path file;

  @BeforeEach
  void setUp() throws IOException {
    dir = Files.createDirectory(temp.resolve("db"));
    file = dir.resolve("LOCK");
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void lock_throughALinkToTheDirectory_isRefused() throws IOException {
    Path link = Files.createSymbolicLink(temp.resolve("link"), dir);
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
      assertThat(env.lock(link.resolve("LOCK"))).isNull();
      assertThat(new FileEnv().lock(link.resolve("LOCK"))).isNull();
      assertHeldElsewhere();
    }
    try (Env.Lock lock = env.lock(link.resolve("LOCK"))) {
      assertThat(lock).isNotNull();
      assertThat(env.lock(file)).isNull();
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void lock_fileIsALink_throws() throws IOException {
    Path target = Files.createFile(temp.resolve("target"));
    Files.createSymbolicLink(file, target);
    assertThatThrownBy(() -> env.lock(file))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(file.toString());
    Files.delete(file);
    Files.createSymbolicLink(file, temp.resolve("nowhere"));
    assertThatThrownBy(() -> env.lock(file)).isInstanceOf(IOException.class);
    assertThat(Files.exists(temp.resolve("nowhere"))).isFalse();
  }

  @Test
  void lock_throughAHardLink_isRefused() throws IOException {
    Path other = Files.createDirectory(temp.resolve("other"));
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
      Path hardLink = Files.createLink(other.resolve("LOCK"), file);
      assertThat(env.lock(hardLink)).isNull();
      if (OS.WINDOWS.isCurrentOs()) { // files have no key there, and the lock is its handle's
        env.openSequential(hardLink).close();
      } else {
        assertThatThrownBy(() -> env.openSequential(hardLink)).isInstanceOf(IOException.class);
      }
      assertHeldElsewhere();
      assertDescriptors(1);
    }
  }

  @Test
  void lock_fromAnotherProcess_isRefusedUntilItIsClosed() throws Exception {
    Env.Lock lock = env.lock(file);
    assertThat(lock).isNotNull();
    assertHeldElsewhere();
    lock.close();
    try (Holder holder = new Holder(file)) {
      assertThat(holder.answer()).isEqualTo("locked");
      assertThat(env.lock(file)).isNull();
      assertThat(env.lock(file)).isNull();
      assertDescriptors(0);
    }
    try (Env.Lock again = env.lock(file)) {
      assertThat(again).isNotNull();
    }
  }

  @Test
  void lock_afterRefusedTries_isStillHeld() throws IOException {
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
      for (int i = 0; i < 3; i++) {
        assertThat(env.lock(file)).isNull();
        assertThatThrownBy(() -> env.openSequential(file)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> env.openRandomAccess(file, true)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> env.openRandomAccess(file, false)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> env.createWritable(file)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> env.openAppendable(file)).isInstanceOf(IOException.class);
        assertThatThrownBy(() -> env.createMappedLog(file)).isInstanceOf(IOException.class);
      }
      assertHeldElsewhere();
    }
    env.openSequential(file).close();
  }

  @Test
  void lock_fromAnotherClassLoader_isRefused() throws Exception {
    try (URLClassLoader loader = copyOfThisLoader()) {
      Object other = newEnvOf(loader);
      assertThat(other.getClass()).isNotEqualTo(FileEnv.class);
      try (Env.Lock lock = env.lock(file)) {
        assertThat(lock).isNotNull();
        assertThat(lockWith(other)).isNull();
        assertThat(lockWith(other)).isNull();
        assertHeldElsewhere();
      }
      try (AutoCloseable lock = lockWith(other)) {
        assertThat(lock).isNotNull();
        assertThat(env.lock(file)).isNull();
        assertHeldElsewhere();
      }
    }
  }

  /**
   * A program may replace all system properties: the lock of the operating system must not go with
   * them.
   */
  @Test
  void lock_registryLost_isRefusedAndStillHeld() throws IOException {
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
      List<String> keys = new ArrayList<>(System.getProperties().stringPropertyNames());
      keys.removeIf(key -> !key.startsWith("dev.kv.lock:"));
      assertThat(keys).isNotEmpty();
      keys.forEach(System::clearProperty);
      assertThat(env.lock(file)).isNull();
      assertHeldElsewhere();
    }
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "symbolic links need a privilege there")
  void lock_closed_leavesNothingInTheRegistry() throws IOException {
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
      assertThat(System.getProperties().toString())
          .contains("dev.kv.lock:path:" + file.toRealPath());
    }
    Files.createSymbolicLink(dir.resolve("L"), file);
    assertThatThrownBy(() -> env.lock(dir.resolve("L"))).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> env.lock(temp.resolve("missing").resolve("LOCK")))
        .isInstanceOf(IOException.class);
    assertThatThrownBy(() -> env.lock(dir)).isInstanceOf(IOException.class);
    assertThat(System.getProperties().toString()).doesNotContain(temp.toRealPath().toString());
  }

  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "a file that stays open is not deleted there")
  void lock_ofADatabaseThatNobodyClosedOrRefersTo_isStillHeld() throws IOException {
    WeakReference<Object> other = forget(env.lock(file));
    for (int i = 0; i < 100 && other.get() != null; i++) {
      System.gc();
    }
    assertThat(other.get()).isNull();
    assertDescriptors(1);
    assertHeldElsewhere();
    assertThat(env.lock(file)).isNull();
  }

  /** Returns an object that is reachable until when {@code lock} was so last. */
  private static WeakReference<Object> forget(@Nullable Object lock) {
    assertThat(lock).isNotNull();
    return new WeakReference<>(new Object());
  }

  @Test
  void lockFile_thatIsMissing_isNotSaidToBeHeld() {
    assertThatThrownBy(() -> env.openSequential(file)).isInstanceOf(NoSuchFileException.class);
    assertThatThrownBy(() -> env.openRandomAccess(file, true))
        .isInstanceOf(NoSuchFileException.class);
  }

  @Test
  void lock_otherFilesOfTheDirectory_openAndCloseFreely() throws IOException {
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
      env.createWritable(dir.resolve("f")).close();
      env.openRandomAccess(dir.resolve("f"), true).close();
      assertThat(env.list(dir)).contains("LOCK");
      assertThat(env.size(file)).isZero();
      assertHeldElsewhere();
    }
  }

  /** The lock file is not even opened if this process has it: the close would drop the lock. */
  private void assertDescriptors(int count) throws IOException {
    if (OS.LINUX.isCurrentOs()) {
      assertThat(Descriptors.of(temp.toRealPath().toString())).hasSize(count);
    }
  }

  private void assertHeldElsewhere() throws IOException {
    try (Holder holder = new Holder(file)) {
      assertThat(holder.answer()).isEqualTo("refused");
    }
  }

  private @org.jspecify.annotations.Nullable AutoCloseable lockWith(Object other) throws Exception {
    return (AutoCloseable) other.getClass().getMethod("lock", Path.class).invoke(other, file);
  }

  private static Object newEnvOf(ClassLoader loader) throws ReflectiveOperationException {
    return loader.loadClass(FileEnv.class.getName()).getConstructor().newInstance();
  }

  private static URLClassLoader copyOfThisLoader() throws IOException {
    List<URL> urls = new ArrayList<>();
    for (String entry : System.getProperty("java.class.path").split(File.pathSeparator)) {
      urls.add(Path.of(entry).toUri().toURL());
    }
    return new URLClassLoader(urls.toArray(new URL[0]), ClassLoader.getPlatformClassLoader());
  }

  /** A child process that tries to lock, and holds the lock until closed. */
  private static final class Holder implements AutoCloseable {
    private final Process process;
    private final String answer;

    Holder(Path file) throws IOException {
      process =
          new ProcessBuilder(
                  Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                  "-XX:TieredStopAtLevel=1",
                  "-cp",
                  System.getProperty("java.class.path"),
                  LockHolder.class.getName(),
                  file.toString())
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start();
      InputStream out = process.getInputStream();
      BufferedReader lines =
          new BufferedReader(new InputStreamReader(out, StandardCharsets.US_ASCII));
      answer = String.valueOf(lines.readLine());
    }

    String answer() {
      return answer;
    }

    @Override
    public void close() throws IOException {
      process.getOutputStream().close();
      try {
        process.waitFor();
      } catch (InterruptedException e) {
        process.destroyForcibly();
        Thread.currentThread().interrupt();
      }
    }
  }

  @Test
  void lock_whileHeld_writesNothingIntoTheFile() throws IOException {
    Files.write(file, new byte[] {1, 2, 3});
    try (Env.Lock lock = env.lock(file)) {
      assertThat(lock).isNotNull();
    }
    ByteBuffer into = ByteBuffer.allocate(4);
    try (var in = env.openSequential(file)) {
      assertThat(in.read(into)).isEqualTo(3);
    }
  }

  /** Another holder deletes the file before it ends, as a destroy does. */
  @Test
  @DisabledOnOs(value = OS.WINDOWS, disabledReason = "an open file cannot be deleted there")
  void lock_ofAFileThatIsDeletedMeanwhile_isOneOfTheNextFile() throws IOException {
    for (boolean exists : new boolean[] {false, true}) {
      for (boolean createdAgain : new boolean[] {false, true}) {
        if (exists) {
          Files.writeString(file, "");
        }
        AtomicBoolean first = new AtomicBoolean(true);
        Runnable opened =
            () -> {
              try {
                if (first.getAndSet(false)) {
                  Files.delete(file);
                  if (createdAgain) {
                    Files.writeString(file, "");
                  }
                }
              } catch (IOException e) {
                throw new UncheckedIOException(e);
              }
            };
        try (Env.Lock lock = DirectoryLock.acquire(file, new ConcurrentLinkedQueue<>(), opened)) {
          assertThat(lock).isNotNull();
          assertThat(file).exists();
          assertHeldElsewhere();
        }
        Files.delete(file);
      }
    }
  }
}

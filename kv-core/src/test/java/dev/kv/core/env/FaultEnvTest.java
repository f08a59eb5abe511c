package dev.kv.core.env;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.env.Env;
import dev.kv.env.MappedLogFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class FaultEnvTest extends EnvContract {
  private FaultEnv faulty;

  @Override
  protected Env newEnv() {
    faulty = new FaultEnv(Env.inMemory());
    return faulty;
  }

  @Override
  protected Path newDirectory(Env env) throws IOException {
    Path directory = Path.of("/faulty/db");
    env.createDirectory(directory);
    return directory;
  }

  /** Does each kind of operation once, in a fixed order. */
  private void everything() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(ByteBuffer.allocate(1000));
      file.flush();
      file.sync();
    }
    try (WritableFile file = env.openAppendable(dir.resolve("f"))) {
      file.append(ByteBuffer.allocate(1));
    }
    try (SequentialFile file = env.openSequential(dir.resolve("f"))) {
      file.skip(10);
      file.read(ByteBuffer.allocate(10));
    }
    try (var file = env.openRandomAccess(dir.resolve("f"), true)) {
      file.read(0, ByteBuffer.allocate(10), 0, 10);
    }
    try (MappedLogFile log = env.createMappedLog(dir.resolve("l"))) {
      log.reserve(32 << 10);
      log.store(0, ByteBuffer.allocateDirect(10), 0, 10);
      log.sync(0, 10);
      log.cut(10);
    }
    env.exists(dir);
    env.list(dir);
    env.size(dir.resolve("f"));
    env.rename(dir.resolve("f"), dir.resolve("g"));
    env.link(dir.resolve("g"), dir.resolve("h"));
    env.syncDirectory(dir);
    env.delete(dir.resolve("g"));
    env.delete(dir.resolve("h"));
    env.createDirectory(dir.resolve("d"));
    env.deleteDirectory(dir.resolve("d"));
    env.lock(dir.resolve("LOCK")).close();
    env.delete(dir.resolve("LOCK"));
    env.delete(dir.resolve("l"));
  }

  @Test
  void faultEnv_everyOperation_isCountedAndFailsOnItsTurn() throws IOException {
    long before = faulty.operations();
    everything();
    long count = faulty.operations() - before;
    assertThat(count).isEqualTo(34);
    for (long k = 1; k <= count; k++) {
      FaultEnv fresh = new FaultEnv(Env.inMemory());
      env = fresh;
      env.createDirectory(dir);
      fresh.failOnce(fresh.operations() + k, Fault.ERROR);
      assertThatThrownBy(this::everything)
          .as("operation %d, %s", k, fresh.lastFault())
          .isInstanceOf(IOException.class)
          .hasMessageContaining("injected");
      assertThat(fresh.injected()).isEqualTo(1);
      assertThat(fresh.lastFault()).startsWith("ERROR of ");
    }
  }

  @Test
  void watch_everyOperation_isToldOfBeforeItIsDone() throws IOException {
    List<FaultEnv.Operation> seen = new ArrayList<>();
    faulty.watch(seen::add);
    everything();
    assertThat(seen).hasSize(34).contains(new FaultEnv.Operation(Kind.RENAME, dir.resolve("g")));
    faulty.watch(
        operation -> {
          throw new IllegalStateException("stop");
        });
    assertThatThrownBy(() -> write("f", "x")).isInstanceOf(IllegalStateException.class);
    faulty.watch(seen::add);
    assertThat(env.exists(dir.resolve("f"))).isFalse();
  }

  @Test
  void failOnce_theNextOperation_goesThrough() throws IOException {
    faulty.failOnce(faulty.operations() + 1, Fault.ERROR);
    assertThatThrownBy(() -> env.list(dir)).isInstanceOf(IOException.class);
    assertThat(env.list(dir)).isEmpty();
  }

  @Test
  void failFrom_allLaterOperations_failUntilHealed() throws IOException {
    faulty.failFrom(faulty.operations() + 2, Fault.ERROR);
    assertThat(env.list(dir)).isEmpty();
    for (int i = 0; i < 3; i++) {
      assertThatThrownBy(() -> env.list(dir)).isInstanceOf(IOException.class);
    }
    assertThat(faulty.injected()).isEqualTo(3);
    faulty.heal();
    assertThat(env.list(dir)).isEmpty();
  }

  @Test
  void faultEnv_shortWrite_writesHalf() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      faulty.fail(Fault.SHORT, 1, operation -> operation.kind() == Kind.WRITE);
      assertThatThrownBy(() -> file.append(ByteBuffer.allocate(1001)))
          .isInstanceOf(IOException.class);
    }
    assertThat(env.size(dir.resolve("f"))).isEqualTo(500);
  }

  @Test
  void faultEnv_tornWrite_endsOnASector() throws IOException {
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(ByteBuffer.allocate(100));
      faulty.fail(Fault.TORN, 1, operation -> operation.isOn("f"));
      assertThatThrownBy(() -> file.append(ByteBuffer.allocate(2000)))
          .isInstanceOf(IOException.class);
    }
    assertThat(env.size(dir.resolve("f"))).isEqualTo(2048);
  }

  @Test
  void faultEnv_shortStore_storesHalf() throws IOException {
    ByteBuffer ones = ByteBuffer.allocateDirect(100);
    for (int i = 0; i < 100; i++) {
      ones.put(i, (byte) 1);
    }
    MappedLogFile log = env.createMappedLog(dir.resolve("l"));
    log.reserve(32 << 10);
    faulty.fail(Fault.SHORT, 1, operation -> operation.kind() == Kind.STORE);
    assertThatThrownBy(() -> log.store(0, ones, 0, 100)).isInstanceOf(IOException.class);
    log.cut(100);
    log.close();
    byte[] expected = new byte[100];
    Arrays.fill(expected, 0, 50, (byte) 1);
    assertThat(readAll("l")).isEqualTo(expected);
  }

  @Test
  void faultEnv_noSpace_failsOnlyWrites() throws IOException {
    write("f", "hello");
    MappedLogFile log = env.createMappedLog(dir.resolve("l"));
    log.reserve(32 << 10);
    faulty.failFrom(1, Fault.NO_SPACE);
    assertThatThrownBy(() -> env.createWritable(dir.resolve("g")))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("No space left");
    assertThatThrownBy(() -> log.reserve(64 << 10)).hasMessageContaining("No space left");
    log.store(0, direct("hello"), 0, 5);
    log.sync(0, 5);
    assertThat(readAll("f")).hasSize(5);
    env.delete(dir.resolve("f"));
    assertThat(faulty.injected()).isEqualTo(2);
  }

  @Test
  void faultEnv_syncFaults_failOnlySyncs() throws IOException {
    faulty.failFrom(1, Fault.SYNC);
    try (WritableFile file = env.createWritable(dir.resolve("f"))) {
      file.append(ByteBuffer.allocate(3));
      assertThatThrownBy(file::sync).isInstanceOf(IOException.class);
    }
    assertThatThrownBy(() -> env.syncDirectory(dir)).isInstanceOf(IOException.class);
    assertThat(faulty.injected()).isEqualTo(2);
  }

  @Test
  void shortRead_ofASequentialFile_isNoEnd() throws IOException {
    write("f", "hello");
    faulty.fail(Fault.SHORT, 2, operation -> operation.kind() == Kind.READ);
    assertThat(readAll("f")).isEqualTo(new byte[] {'h', 'e', 'l', 'l', 'o'});
    assertThat(faulty.injected()).isEqualTo(2);
  }

  @Test
  void close_failed_closesNevertheless() throws IOException {
    WritableFile file = env.createWritable(dir.resolve("f"));
    faulty.fail(Fault.ERROR, 1, operation -> operation.kind() == Kind.CLOSE);
    assertThatThrownBy(file::close).isInstanceOf(IOException.class);
    assertThatThrownBy(() -> file.append(ByteBuffer.allocate(1))).isInstanceOf(IOException.class);
  }
}

package dev.kv.core.recovery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.core.EnvFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.WritableFile;
import dev.kv.errors.DBIOException;
import dev.kv.event.DamageEvent;
import dev.kv.options.LogRetention;
import dev.kv.options.RecoveryMode;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What becomes of a log with records that an open drops. */
class DamagedLogsTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final Path LOST = DIRECTORY.resolve("lost");
  private static final int WRITES = 2000;

  /** The writes before the damage: a record has 128 bytes. */
  private static final long KEPT = 400;

  private final StrictMemEnv env = new StrictMemEnv();
  private final List<DamageEvent> heard = new ArrayList<>();
  private Path log = DIRECTORY;
  private byte[] content = {};

  /** Leaves a log whose hundredth sector is zero, as a fault of the disk does after a kill. */
  private void createDatabase(Options options) throws IOException {
    try (DB db = DB.open(DIRECTORY, options)) {
      for (int i = 0; i < WRITES; i++) {
        db.put(DbTestBase.b(DbTestBase.key(i)), new byte[97]);
      }
    }
    log = DIRECTORY.resolve(logs(env).get(0));
    content = EnvFiles.read(env, log);
    Arrays.fill(content, 512 * 100, 512 * 101, (byte) 0);
    EnvFiles.write(env, log, content);
  }

  private void createDatabase() throws IOException {
    createDatabase(options(env).build());
  }

  private Options.Builder options(Env of) {
    return Options.builder()
        .env(of)
        .createIfMissing(true)
        .monitoring(
            m ->
                m.listener(
                    event -> {
                      if (event instanceof DamageEvent damage) {
                        heard.add(damage);
                      }
                    }));
  }

  private static List<String> logs(Env env) throws IOException {
    return env.list(DIRECTORY).stream().filter(name -> name.endsWith(".log")).sorted().toList();
  }

  private String name() {
    return log.getFileName().toString();
  }

  /** Opens the database, and checks that it has the writes before the damage, and says so. */
  private void expectPrefix(Options options, String reported) throws IOException {
    try (DB db = DB.open(DIRECTORY, options)) {
      assertThat(db.stream(ReadOptions.KEYS).count()).isEqualTo(KEPT);
      String reason = db.admin().stats().recovery().reason();
      assertThat(reason).contains(name() + ", of which not all was replayed, " + reported);
    }
    assertThat(heard)
        .anySatisfy(
            event -> {
              assertThat(event.during()).isEqualTo(DamageEvent.During.RECOVERY);
              assertThat(event.file()).isEqualTo(log.toString());
              assertThat(event.message()).contains(reported);
            });
  }

  @Test
  void open_thatDropsRecords_keepsTheirLogDurably() throws IOException {
    createDatabase();
    expectPrefix(options(env).build(), "is kept as lost/" + name());
    StrictMemEnv after = env.crashClone(0, 1);
    assertThat(EnvFiles.read(after, LOST.resolve(name()))).isEqualTo(content);
    assertThat(env.exists(log)).isFalse();
    try (DB db = DB.open(DIRECTORY, options(after).build())) {
      assertThat(db.stream(ReadOptions.KEYS).count()).isEqualTo(KEPT);
      assertThat(db.admin().stats().recovery().reason()).isEmpty();
    }
    assertThat(after.list(LOST)).containsExactly(name());
    Path copy = Path.of("/copy");
    after.createDirectory(copy);
    EnvFiles.write(after, copy.resolve(name()), content);
    DB.repair(copy, options(after).build());
    try (DB db = DB.open(copy, options(after).build())) {
      assertThat(db.stream(ReadOptions.KEYS).count()).isBetween(KEPT + 1, WRITES - 1L);
    }
  }

  @Test
  void open_besideALostLogOfTheSameName_keepsBoth() throws IOException {
    createDatabase();
    env.createDirectory(LOST);
    EnvFiles.write(env, LOST.resolve(name()), new byte[] {1});
    expectPrefix(options(env).build(), "is kept as lost/" + name() + ".1");
    assertThat(EnvFiles.read(env, LOST.resolve(name()))).containsExactly(1);
    assertThat(EnvFiles.read(env, LOST.resolve(name() + ".1"))).isEqualTo(content);
  }

  @Test
  void open_withoutLinks_copiesTheLog() throws IOException {
    createDatabase();
    Env without =
        new ForwardingEnv(env) {
          @Override
          public boolean link(Path existing, Path link) {
            return false;
          }
        };
    expectPrefix(options(without).build(), "is kept as lost/" + name());
    StrictMemEnv after = env.crashClone(0, 1);
    assertThat(EnvFiles.read(after, LOST.resolve(name()))).isEqualTo(content);
    assertThat(env.exists(log)).isFalse();
  }

  @Test
  void crash_atAnyStepOfTheOpen_keepsTheLog() throws IOException {
    createDatabase();
    List<StrictMemEnv> crashed = new ArrayList<>();
    Env watched =
        new ForwardingEnv(env) {
          private void crash() {
            crashed.add(env.crashClone(0, 1));
            crashed.add(env.crashClone(1, 1));
          }

          @Override
          public boolean link(Path existing, Path link) throws IOException {
            crash();
            boolean linked = super.link(existing, link);
            crash();
            return linked;
          }

          @Override
          public void rename(Path from, Path to) throws IOException {
            crash();
            super.rename(from, to);
            crash();
          }

          @Override
          public void syncDirectory(Path directory) throws IOException {
            crash();
            super.syncDirectory(directory);
            crash();
          }

          @Override
          public void delete(Path file) throws IOException {
            crash();
            super.delete(file);
            crash();
          }
        };
    expectPrefix(options(watched).build(), "is kept as lost/" + name());
    assertThat(crashed).hasSizeGreaterThan(10);
    for (StrictMemEnv after : crashed) {
      expectPrefixAndTheLog(after);
    }
  }

  /** Opens and writes, so that no log of before is needed. */
  private void expectPrefixAndTheLog(Env after) throws IOException {
    try (DB db = DB.open(DIRECTORY, options(after).build())) {
      assertThat(db.stream(ReadOptions.KEYS).count()).isEqualTo(KEPT);
      db.put(new byte[1], new byte[1]);
      db.admin().flush();
    }
    assertThat(after.exists(log)).isFalse();
    assertThat(EnvFiles.read(after, LOST.resolve(name()))).isEqualTo(content);
  }

  /** It is unknown then whether the next open finds the old MANIFEST or the new one. */
  @Test
  void open_thatFailsAfterTheRenameOfCurrent_keepsTheLog() throws IOException {
    createDatabase();
    Env failing =
        new ForwardingEnv(env) {
          private boolean renamed;

          @Override
          public void rename(Path from, Path to) throws IOException {
            super.rename(from, to);
            renamed = to.equals(DIRECTORY.resolve("CURRENT"));
          }

          @Override
          public void syncDirectory(Path directory) throws IOException {
            if (renamed) {
              throw new IOException("input/output error");
            }
            super.syncDirectory(directory);
          }
        };
    assertThatThrownBy(() -> DB.open(DIRECTORY, options(failing).build()).close())
        .isInstanceOf(DBIOException.class);
    expectPrefixAndTheLog(env);
  }

  @Test
  void open_thatCannotSyncTheFolder_leavesTheLogUntilTheClose() throws IOException {
    createDatabase();
    Env failing =
        new ForwardingEnv(env) {
          @Override
          public void syncDirectory(Path directory) throws IOException {
            if (directory.equals(LOST)) {
              throw new IOException("input/output error");
            }
            super.syncDirectory(directory);
          }
        };
    expectPrefix(
        options(failing).build(),
        "could not be kept in lost/, and is not deleted before the close");
    assertThat(EnvFiles.read(env, log)).isEqualTo(content);
  }

  @Test
  void open_thatFails_leavesTheLog() throws IOException {
    createDatabase();
    Env full =
        new ForwardingEnv(env) {
          @Override
          public WritableFile createWritable(Path file) throws IOException {
            if (String.valueOf(file.getFileName()).startsWith("MANIFEST")) {
              throw new IOException("no space");
            }
            return super.createWritable(file);
          }
        };
    assertThatThrownBy(() -> DB.open(DIRECTORY, options(full).build()).close())
        .isInstanceOf(DBIOException.class);
    assertThat(EnvFiles.read(env, log)).isEqualTo(content);
    assertThat(env.exists(LOST)).isFalse();
    expectPrefix(options(env).build(), "is kept as lost/" + name());
  }

  /** Not beyond the close, because no later open knows of the damage. */
  @Test
  void open_thatCannotKeepTheLog_leavesItUntilTheClose() throws IOException {
    createDatabase();
    Env refusing =
        new ForwardingEnv(env) {
          @Override
          public void createDirectory(Path path) throws IOException {
            if (path.equals(LOST)) {
              throw new IOException("read-only file system");
            }
            super.createDirectory(path);
          }
        };
    Options options = options(refusing).build();
    expectPrefix(options, "could not be kept in lost/, and is not deleted before the close");
    assertThat(EnvFiles.read(env, log)).isEqualTo(content);
    assertThat(logs(env)).as("no other log is kept").hasSize(2);
    try (DB db = DB.open(DIRECTORY, options)) {
      db.put(new byte[1], new byte[1]);
      db.admin().flush();
      assertThat(env.exists(log)).isFalse();
      assertThat(db.stream(ReadOptions.KEYS).count()).isEqualTo(KEPT + 1);
    }
  }

  @Test
  void open_withLogRetention_leavesTheLogToTheReadersOfChanges() throws IOException {
    Options retaining = options(env).logRetention(LogRetention.ofBytes(1)).build();
    createDatabase(retaining);
    expectPrefix(retaining, "stays for readers of changes, at least until the close");
    assertThat(EnvFiles.read(env, log)).isEqualTo(content);
    assertThat(env.exists(LOST)).isFalse();
  }

  /** The history starts over, so no reader of changes needs the log. */
  @Test
  void open_withLogRetentionInTheCompatibleMode_keepsTheLog() throws IOException {
    Options retaining =
        options(env)
            .logRetention(LogRetention.ofBytes(8 << 20))
            .recoveryMode(RecoveryMode.CPP_COMPAT)
            .build();
    createDatabase(retaining);
    try (DB db = DB.open(DIRECTORY, retaining)) {
      assertThat(db.stream(ReadOptions.KEYS).count()).isBetween(KEPT + 1, WRITES - 1L);
      assertThat(db.admin().stats().recovery().droppedBytes()).isPositive();
    }
    assertThat(EnvFiles.read(env, LOST.resolve(name()))).isEqualTo(content);
    assertThat(env.exists(log)).isFalse();
  }
}

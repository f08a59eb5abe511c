package dev.kv.core.db;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.EnvFiles;
import dev.kv.core.LogFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import dev.kv.errors.NoSuchDatabaseException;
import dev.kv.errors.UnsupportedFormatException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What a destroy deletes, in which order, and what it leaves. */
class DestroyerTest {
  private static final Path DIRECTORY = Path.of("/data/db");

  private final List<String> deleted = new ArrayList<>();
  private final Set<String> undeletable = new HashSet<>();
  private final Env env =
      new ForwardingEnv(Env.inMemory()) {
        @Override
        public void delete(Path file) throws IOException {
          String name = file.getFileName().toString();
          if (undeletable.contains(name)) {
            throw new IOException("cannot delete " + name);
          }
          super.delete(file);
          deleted.add(name);
        }
      };
  private final Options options = Options.builder().env(env).createIfMissing(true).build();

  private void fill() {
    try (DB db = DB.open(DIRECTORY, options)) {
      db.put(bytes("a"), bytes("1"));
      db.admin().flush();
      db.put(bytes("b"), bytes("2"));
    }
    deleted.clear();
  }

  private void destroy() {
    Destroyer.destroy(DIRECTORY, options);
  }

  @Test
  void destroy_ofADatabase_deletesItsFilesAndItsDirectory() throws IOException {
    fill();
    List<String> files = env.list(DIRECTORY);
    assertThat(files).hasSizeGreaterThan(4).contains("CURRENT", "LOCK");
    destroy();
    assertThat(deleted).containsExactlyInAnyOrderElementsOf(files);
    assertThat(env.exists(DIRECTORY)).isFalse();
    assertThat(env.exists(DIRECTORY.getParent())).isTrue();
  }

  /** A crash leaves no database rather than half of one, and nobody else opens it meanwhile. */
  @Test
  void destroy_deletesCurrentFirstAndTheLockLast() throws IOException {
    fill();
    destroy();
    assertThat(deleted).startsWith("CURRENT").endsWith("LOCK");
  }

  /** Otherwise, another open gets the lock on a file that has no name any more. */
  @Test
  void destroy_deletesTheLockWhileItHoldsIt() {
    fill();
    Env watched =
        new ForwardingEnv(env) {
          @Override
          public @Nullable Lock lock(Path file) throws IOException {
            Lock held = super.lock(file);
            return held == null
                ? null
                : () -> {
                  assertThat(deleted).endsWith("LOCK");
                  held.close();
                };
          }
        };
    Destroyer.destroy(DIRECTORY, options.toBuilder().env(watched).build());
    assertThat(deleted).endsWith("LOCK");
  }

  @Test
  void destroy_besideOtherFiles_leavesThemAndTheDirectory() throws IOException {
    fill();
    EnvFiles.write(env, DIRECTORY.resolve("unrelated"), new byte[1]);
    destroy();
    assertThat(env.list(DIRECTORY)).containsExactly("unrelated");
    deleted.clear();
    destroy();
    assertThat(deleted).isEmpty();
    assertThat(env.list(DIRECTORY)).as("no LOCK either").containsExactly("unrelated");
  }

  /** Other programs write files with such names, and documents may have them. */
  @ParameterizedTest
  @ValueSource(
      strings = {
        "1.log",
        "20261125.log 20261126.log 7.sst 1.ldb LOG MANIFEST-3 LOCK 5.dbtmp app.txt",
        "CHANGES",
        "CURRENT 1.log",
        "LOG",
      })
  void destroy_ofFilesOfAnotherProgram_isRefusedAndDeletesNothing(String names) throws IOException {
    env.createDirectory(DIRECTORY.getParent());
    env.createDirectory(DIRECTORY);
    for (String name : names.split(" ")) {
      EnvFiles.write(env, DIRECTORY.resolve(name), bytes(name + ": a line of text\n"));
    }
    EnvFiles.write(env, DIRECTORY.resolve("20261127.log"), new byte[0]);
    List<String> before = env.list(DIRECTORY);
    assertThatThrownBy(this::destroy)
        .isInstanceOf(NoSuchDatabaseException.class)
        .hasMessageStartingWith(DIRECTORY + " holds no database")
        .hasMessageEndingWith("nothing was changed");
    assertThat(deleted).isEmpty();
    assertThat(env.list(DIRECTORY)).as("no LOCK either").isEqualTo(before);
  }

  /** A destroy that is interrupted anywhere is finished by the next one. */
  @Test
  void destroy_thatACrashInterruptedAnywhere_isFinishedByTheNext() throws IOException {
    int files = 0;
    for (int kept = 0; kept <= files; kept++) {
      fill();
      EnvFiles.write(env, DIRECTORY.resolve("LOG"), bytes("2026/11/26-10:00:00 open\n"));
      EnvFiles.write(env, DIRECTORY.resolve("CHANGES"), bytes("changes1"));
      EnvFiles.write(env, DIRECTORY.resolve("000099.dbtmp"), bytes("of a bulk load"));
      files = env.list(DIRECTORY).size();
      int allowed = kept;
      Env dying =
          new ForwardingEnv(env) {
            @Override
            public void delete(Path file) throws IOException {
              if (deleted.size() >= allowed) {
                throw new IOException("the process has ended");
              }
              super.delete(file);
            }
          };
      Options crashing = options.toBuilder().env(dying).build();
      if (kept < files) {
        assertThatThrownBy(() -> Destroyer.destroy(DIRECTORY, crashing))
            .isInstanceOf(DBIOException.class);
      }
      destroy();
      assertThat(env.exists(DIRECTORY)).as("after %s files", kept).isFalse();
    }
    assertThat(files).isGreaterThan(6);
  }

  @Test
  void destroy_ofFilesThatCannotBeDeleted_deletesTheOthersAndNamesAll() throws IOException {
    fill();
    undeletable.add("CURRENT");
    for (String name : env.list(DIRECTORY)) {
      if (name.startsWith("MANIFEST") || name.endsWith(".ldb")) {
        undeletable.add(name);
      }
    }
    assertThatThrownBy(this::destroy)
        .isInstanceOf(DBIOException.class)
        .hasMessageContaining("cannot destroy the database in " + DIRECTORY)
        .satisfies(
            e -> {
              assertThat(e.getCause()).hasMessage("cannot delete CURRENT");
              assertThat(e.getCause().getSuppressed()).hasSize(undeletable.size() - 1);
            });
    assertThat(env.list(DIRECTORY)).containsExactlyInAnyOrderElementsOf(undeletable);
    undeletable.clear();
    destroy();
    assertThat(env.exists(DIRECTORY)).isFalse();
  }

  @Test
  void destroy_ofAnOpenDatabase_isRefused() throws IOException {
    fill();
    try (DB db = DB.open(DIRECTORY, options)) {
      assertThat(db.get(bytes("a"))).isEqualTo(bytes("1"));
      deleted.clear();
      assertThatThrownBy(this::destroy).isInstanceOf(DBLockedException.class);
      assertThat(deleted).isEmpty();
    }
  }

  /** RocksDB has the same names of files, and a CURRENT that names a MANIFEST. */
  @ParameterizedTest
  @ValueSource(strings = {"MANIFEST-000005", "000009.sst"})
  void destroy_ofRocksDB_isRefused(String name) throws IOException {
    fill();
    Path file = DIRECTORY.resolve(name);
    if (name.endsWith(".sst")) {
      byte[] table = new byte[100];
      ByteBuffer.wrap(table).order(ByteOrder.LITTLE_ENDIAN).putLong(92, 0x88e241b785f4cff7L);
      EnvFiles.write(env, file, table);
    } else {
      byte[] edit = HexFormat.of().parseHex("0200" + "0302" + "0400" + "81400475756964");
      LogFiles.write(env, file, edit); // log 0, next file 2, last sequence 0, and tag 8193
    }
    List<String> files = env.list(DIRECTORY);
    deleted.clear();
    assertThatThrownBy(this::destroy)
        .isInstanceOf(UnsupportedFormatException.class)
        .hasMessageContainingAll("RocksDB", name);
    assertThat(deleted).isEmpty();
    assertThat(env.list(DIRECTORY)).isEqualTo(files);
  }
}

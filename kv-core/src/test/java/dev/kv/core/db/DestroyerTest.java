package dev.kv.core.db;

import static dev.kv.core.Bytes.bytes;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.core.EnvFiles;
import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DBLockedException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

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
}

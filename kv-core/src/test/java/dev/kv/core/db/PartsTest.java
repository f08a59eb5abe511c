package dev.kv.core.db;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.core.recovery.DatabaseRecovery;
import dev.kv.core.recovery.DirectoryCheck;
import dev.kv.core.recovery.RecoveredDatabase;
import dev.kv.core.shared.WriteBuffers;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.state.DatabaseFiles;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

@ExtendWith(LeakCheck.class)
class PartsTest {
  private static final Path DIRECTORY = Path.of("/db");

  /** An open that fails frees the memtables, and others must not ask for their flush after it. */
  @Test
  void assemble_beforeTheStart_tellsOtherDatabasesNothing() throws IOException {
    Env env = Env.inMemory();
    env.createDirectory(DIRECTORY);
    Env.Lock lock = DirectoryCheck.lock(env, DIRECTORY);
    DatabaseContext context =
        new DatabaseContext(DIRECTORY, Options.builder().env(env).createIfMissing(true).build());
    DatabaseFiles files = DatabaseFiles.of(context);
    RecoveredDatabase recovered =
        new DatabaseRecovery(files).run(new DirectoryCheck(env, DIRECTORY), false);
    Parts parts = Parts.assemble(files, lock, recovered);
    WriteBuffers all = context.shared().writeBuffers();
    parts.writes().memTables().stallInputs().wantSwitch(true);
    assertThat(all.relieve(parts.writes().memTables())).isFalse();
    parts.background().start(false);
    assertThat(all.relieve(parts.writes().memTables())).isTrue();
    new DBImpl(parts).close();
    assertThat(all.relieve(parts.writes().memTables())).isFalse();
    assertThat(context.budget().used()).isZero();
  }
}

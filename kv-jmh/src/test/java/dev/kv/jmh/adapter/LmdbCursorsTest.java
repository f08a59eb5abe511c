package dev.kv.jmh.adapter;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.jmh.bench.StoreProbe;
import dev.kv.jmh.store.Cursor;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.lmdbjava.Dbi;
import org.lmdbjava.DbiFlags;
import org.lmdbjava.Env;
import org.lmdbjava.EnvFlags;
import org.lmdbjava.Txn;

/** What the cursors of LMDB hold while they are open, while they are not, and after the end. */
@SuppressWarnings("NullAway.Init")
class LmdbCursorsTest {
  private static final byte[] KEY = "0000000000000001".getBytes(UTF_8);

  private Env<ByteBuffer> env;
  private Dbi<ByteBuffer> dbi;

  @BeforeEach
  void open(@TempDir Path scratch) throws IOException {
    assumeTrue(StoreProbe.trouble(StoreKind.LMDB, scratch).isEmpty());
    env =
        Env.create()
            .setMapSize(1 << 20)
            .setMaxDbs(1)
            .setMaxReaders(1)
            .open(scratch.toFile(), EnvFlags.MDB_NOTLS, EnvFlags.MDB_NOSYNC);
    dbi = env.openDbi("kv", DbiFlags.MDB_CREATE);
    dbi.put(direct(KEY), direct(KEY));
  }

  @AfterEach
  void close() {
    if (env != null) {
      env.close();
    }
  }

  private static ByteBuffer direct(byte[] bytes) {
    return ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
  }

  @Test
  void close_severalOpens_freesTheOnlyReader() {
    LmdbCursors cursors = new LmdbCursors(env, dbi);
    for (int i = 0; i < 3; i++) {
      try (Cursor cursor = cursors.open()) {
        assertThat(cursor.seek(KEY)).isTrue();
      }
    }
    assertThatThrownBy(env::txnRead).isInstanceOf(Env.ReadersFullException.class);
    cursors.close();
    try (Txn<ByteBuffer> txn = env.txnRead()) {
      assertThat(dbi.get(txn, direct(KEY))).isEqualTo(direct(KEY));
    }
  }

  @Test
  void cursor_closed_holdsNoState() {
    try (LmdbCursors cursors = new LmdbCursors(env, dbi)) {
      Cursor cursor = cursors.open();
      cursor.close();
      assertThatThrownBy(() -> cursor.seek(KEY)).isInstanceOf(Txn.NotReadyException.class);
    }
  }

  @Test
  void cursor_afterTheEnd_isClosed() {
    LmdbCursors cursors = new LmdbCursors(env, dbi);
    Cursor cursor = cursors.open();
    cursor.close();
    cursors.close();
    assertThatThrownBy(() -> cursor.seek(KEY))
        .isInstanceOf(org.lmdbjava.Cursor.ClosedException.class);
  }
}

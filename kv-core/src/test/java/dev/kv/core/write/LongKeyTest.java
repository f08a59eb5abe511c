package dev.kv.core.write;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.WriteOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.key.InternalKey;
import dev.kv.load.BulkLoadOptions;
import dev.kv.load.BulkLoader;
import dev.kv.table.TableWriter;
import java.nio.ByteBuffer;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** Keys that an edit of the MANIFEST could not hold. */
class LongKeyTest extends DbTestBase {
  private static final byte[] VALUE = {1};

  private static void expectRefused(ThrowingCallable write) {
    assertThatThrownBy(write)
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("67108865 bytes: at most 64 MiB");
  }

  @Test
  void requireWritable_of64MiB_throwsNothing() {
    assertThatCode(() -> InternalKey.requireWritable(64 << 20)).doesNotThrowAnyException();
  }

  @Test
  void write_ofAKeyAbove64MiB_isRefusedByEachCall() {
    open();
    byte[] key = new byte[(64 << 20) + 1];
    ByteBuffer buffer = ByteBuffer.wrap(key);
    expectRefused(() -> db.put(key, VALUE));
    expectRefused(() -> db.put(WriteOptions.DEFAULT, buffer, ByteBuffer.wrap(VALUE)));
    expectRefused(() -> db.delete(key));
    expectRefused(() -> db.delete(WriteOptions.DEFAULT, buffer));
    expectRefused(() -> batch().put(key, VALUE));
    expectRefused(() -> batch().put(buffer, ByteBuffer.wrap(VALUE)));
    expectRefused(() -> batch().delete(key));
    expectRefused(() -> batch().delete(buffer));
    for (boolean sorted : new boolean[] {false, true}) {
      BulkLoadOptions loading = BulkLoadOptions.builder().sorted(sorted).build();
      try (BulkLoader loader = db.loads().bulkLoader(loading)) {
        expectRefused(() -> loader.put(key, VALUE));
        loader.put(b("loaded" + sorted), VALUE);
        loader.finish();
      }
    }
    try (TableWriter writer = TableWriter.forIngest(temp.resolve("table"), options)) {
      expectRefused(() -> writer.put(key, VALUE));
      writer.put(b("a"), VALUE);
      writer.finish();
    }
    put("a", "1");
    db.admin().flush();
    assertThat(contents()).isEqualTo("(a->1)(loadedfalse->\1)(loadedtrue->\1)");
  }
}

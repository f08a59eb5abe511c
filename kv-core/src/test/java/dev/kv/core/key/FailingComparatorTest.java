package dev.kv.core.key;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.bytes.Slice;
import dev.kv.core.db.DbTestBase;
import dev.kv.errors.ComparatorException;
import dev.kv.errors.DBReadOnlyException;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A program's comparator throws: who hears of it, and what becomes of the operation. */
class FailingComparatorTest extends DbTestBase {
  private static final RuntimeException CAUSE = new IllegalStateException("no such key");

  private volatile String refused = "";

  /** The bytewise order, which throws once it meets the refused key. */
  private Options failing() {
    return defaults().toBuilder()
        .comparator(
            DBComparator.of(
                "test.Failing",
                (a, b) -> {
                  refuse(a);
                  refuse(b);
                  return a.compareTo(b);
                }))
        .build();
  }

  private void refuse(Slice key) {
    if (key.toUtf8String().equals(refused)) {
      throw CAUSE;
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void write_duringWhichTheComparatorThrows_isInTheLogAndSeenByNobody(boolean sync) {
    open(failing());
    put("a", "1");
    put("z", "1");
    refused = "m";
    WriteBatch batch = batch();
    batch.put(b("a"), b("2"));
    batch.put(b("m"), b("2"));
    batch.put(b("z"), b("2"));
    assertThatThrownBy(() -> db.write(sync ? WriteOptions.SYNC : WriteOptions.DEFAULT, batch))
        .isInstanceOf(ComparatorException.class)
        .hasMessageContaining("test.Failing threw java.lang.IllegalStateException")
        .hasMessageContaining("the write is in the log")
        .hasRootCause(CAUSE);
    assertThat(get("a")).isEqualTo("1");
    assertThat(get("z")).isEqualTo("1");
    refused = "";
    assertThat(contents()).isEqualTo("(a->1)(z->1)");
    assertThatThrownBy(() -> put("b", "3")).isInstanceOf(DBReadOnlyException.class);
    assertThatThrownBy(() -> db.admin().flush()).isInstanceOf(DBReadOnlyException.class);
    assertThat(contents()).isEqualTo("(a->1)(z->1)");
    close();
    refused = "m";
    for (int i = 0; i < 2; i++) {
      assertThatThrownBy(this::open)
          .isInstanceOf(ComparatorException.class)
          .hasMessageContaining(".log: nothing was changed")
          .hasRootCause(CAUSE);
    }
    refused = "";
    open();
    assertThat(contents()).isEqualTo("(a->2)(m->2)(z->2)");
    put("b", "3");
    reopen();
    assertThat(contents()).isEqualTo("(a->2)(b->3)(m->2)(z->2)");
  }

  @ParameterizedTest
  @ValueSource(booleans = {false, true})
  void read_duringWhichTheComparatorThrows_throwsAndMayBeTriedAgain(boolean inATable) {
    open(failing());
    put("a", "1");
    put("m", "1");
    put("z", "1");
    if (inATable) {
      db.admin().flush();
    }
    try (DBIterator cursor = db.iterator()) {
      refused = "m";
      assertThatThrownBy(() -> db.get(b("m")))
          .isInstanceOf(ComparatorException.class)
          .hasRootCause(CAUSE);
      assertThatThrownBy(() -> cursor.seek(b("m")))
          .isInstanceOf(ComparatorException.class)
          .hasRootCause(CAUSE);
      refused = "";
      assertThat(get("m")).isEqualTo("1");
      cursor.seek(b("m"));
      assertThat(s(cursor.value())).isEqualTo("1");
    }
    put("n", "1");
    assertThat(contents()).isEqualTo("(a->1)(m->1)(n->1)(z->1)");
  }
}

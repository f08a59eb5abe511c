package dev.kv.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.WriteBatch;
import dev.kv.core.Call;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.Uninterrupted;
import dev.kv.env.Env;
import dev.kv.errors.ConflictException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Kind;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Conditions of writes that are in one group with the writes that they depend on. */
@Timeout(60)
class GroupedConditionsTest extends DbTestBase {
  private final CountDownLatch gate = new CountDownLatch(1);
  private final AtomicBoolean held = new AtomicBoolean();

  @BeforeEach
  void openWithEntries() {
    FaultEnv env = new FaultEnv(Env.inMemory());
    open(defaults().toBuilder().env(env).build());
    for (String key : new String[] {"k", "same", "gone", "other"}) {
      put(key, "1");
    }
    CountDownLatch begun = new CountDownLatch(1);
    env.watch(
        operation -> {
          boolean append = operation.kind() == Kind.STORE || operation.kind() == Kind.WRITE;
          if (append && operation.isOn(".log") && !held.getAndSet(true)) {
            begun.countDown();
            Uninterrupted.await(gate::await);
          }
        });
    Call.start(() -> put("first", "1"));
    Uninterrupted.await(begun::await);
  }

  /** From the first entry of the log on, all writers wait, and are one group afterwards. */
  private Call waiting(Call.Body body) throws InterruptedException {
    Call call = Call.start(body);
    call.awaitParked();
    return call;
  }

  @AfterEach
  void letGo() {
    gate.countDown();
  }

  private Call waiting(WriteBatch batch) throws InterruptedException {
    return waiting(() -> db.write(batch));
  }

  private static void assertConflict(Call call, String key) throws InterruptedException {
    assertThat(call.outcome())
        .isInstanceOfSatisfying(
            ConflictException.class, e -> assertThat(s(e.key())).isEqualTo(key));
  }

  @Test
  void expectations_ofKeysWrittenInTheGroup_areComparedWithTheLastWrite() throws Exception {
    waiting(batch().put(b("k"), b("2")).put(b("same"), b("2")).put(b("same"), b("1")));
    waiting(batch().delete(b("gone")).put(b("new"), b("1")).put(b("fleeting"), b("1")));
    waiting(() -> delete("fleeting"));
    Call changed = waiting(batch().expect(b("k"), b("1")).put(b("changed"), b("1")));
    Call deleted = waiting(batch().expect(b("gone"), b("1")).put(b("deleted"), b("1")));
    Call added = waiting(batch().expectAbsent(b("new")).put(b("added"), b("1")));
    Call changedBack = waiting(batch().expect(b("same"), b("1")).put(b("back"), b("1")));
    Call deletedAgain = waiting(batch().expectAbsent(b("fleeting")).put(b("again"), b("1")));
    Call unchanged = waiting(batch().expect(b("other"), b("1")).put(b("other"), b("2")));
    gate.countDown();

    assertConflict(changed, "k");
    assertConflict(deleted, "gone");
    assertConflict(added, "new");
    assertThat(changedBack.outcome()).isNull();
    assertThat(deletedAgain.outcome()).isNull();
    assertThat(unchanged.outcome()).isNull();
    assertThat(contents())
        .isEqualTo("(again->1)(back->1)(first->1)(k->2)(new->1)(other->2)(same->1)");
  }

  @Test
  void transactions_thatDependOnKeysWrittenInTheGroup_conflict() throws Exception {
    Transaction writes = db.transaction().put(b("k"), b("3"));
    Transaction reads = db.transaction().put(b("from reads"), b("1"));
    reads.getForUpdate(b("gone"));
    Transaction scans = db.transaction(TransactionOptions.SERIALIZABLE);
    scans.put(b("from scans"), b("1"));
    try (DBIterator cursor = scans.iterator()) {
      cursor.seek(b("l"));
      cursor.next();
    }
    Transaction first = db.transaction().put(b("one"), b("1"));
    Transaction second = db.transaction().put(b("one"), b("2"));
    Transaction unrelated = db.transaction().put(b("unrelated"), b("1"));
    waiting(batch().put(b("k"), b("2")).delete(b("gone")).put(b("new"), b("1")));
    Call ofWrites = waiting(writes::commit);
    Call ofReads = waiting(reads::commit);
    Call ofScans = waiting(scans::commit);
    Call ofFirst = waiting(first::commit);
    Call ofSecond = waiting(second::commit);
    Call ofUnrelated = waiting(unrelated::commit);
    gate.countDown();

    assertConflict(ofWrites, "k");
    assertConflict(ofReads, "gone");
    assertConflict(ofScans, "new");
    assertThat(ofFirst.outcome()).isNull();
    assertConflict(ofSecond, "one");
    assertThat(ofUnrelated.outcome()).isNull();
    assertThat(contents())
        .isEqualTo("(first->1)(k->2)(new->1)(one->1)(other->1)(same->1)(unrelated->1)");
  }
}

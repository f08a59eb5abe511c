package dev.kv.core.transaction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.ReadOptions;
import dev.kv.Transaction;
import dev.kv.TransactionOptions;
import dev.kv.TransactionOptions.Isolation;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import dev.kv.errors.ConflictException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Transactions of several threads. Their histories are replayed afterwards in the order of their
 * commits, which the sequence numbers tell: each transaction also writes a key of its own.
 */
class TransactionHistoryTest extends DbTestBase {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 100 : 1;
  private static final long SEED = Long.getLong("kv.seed", 20_261_122);
  private static final int THREADS = 4;
  private static final int KEYS = 24;
  private static final int TRANSACTIONS = 12_500 * SCALE;

  /** What one transaction has seen and done. */
  private static final class Record {
    final int id;
    final boolean plain;
    long snapshot;
    final Map<String, String> reads = new LinkedHashMap<>();
    final TreeSet<String> forUpdate = new TreeSet<>();
    final List<Scan> scans = new ArrayList<>();
    final Map<String, String> writes = new TreeMap<>();
    boolean committed;
    String conflict;
    long lastSequenceAfter;
    long sequence;

    Record(int id, boolean plain) {
      this.id = id;
      this.plain = plain;
    }

    @Override
    public String toString() {
      return "transaction " + id + " of snapshot " + snapshot + " at " + sequence;
    }
  }

  /** A scan from a key over some entries; if it met the end, up to the end. */
  private record Scan(String from, String to, boolean ended, Map<String, String> seen) {}

  private final AtomicInteger ids = new AtomicInteger();
  private final AtomicReference<Throwable> failure = new AtomicReference<>();
  private final ConcurrentLinkedQueue<Record> records = new ConcurrentLinkedQueue<>();

  private interface Body {
    void run(Random random) throws Exception;
  }

  private void runThreads(int threads, Body body) throws InterruptedException {
    List<Thread> started = new ArrayList<>();
    for (int i = 0; i < threads; i++) {
      Random random = new Random(SEED + i);
      Thread thread =
          new Thread(
              () -> {
                try {
                  body.run(random);
                } catch (Throwable e) {
                  failure.compareAndSet(null, e);
                }
              });
      started.add(thread);
      thread.start();
    }
    for (Thread thread : started) {
      thread.join();
    }
    if (failure.get() != null) {
      throw new AssertionError("-Dkv.seed=" + SEED, failure.get());
    }
  }

  private static Options tiny() {
    return defaults().toBuilder().writeBufferSize(64 << 10).maxFileSize(1 << 20).build();
  }

  @ParameterizedTest
  @EnumSource
  void histories_ofRandomTransactions_areExplainedByTheirCommitOrder(Isolation isolation)
      throws InterruptedException {
    open(tiny());
    TransactionOptions with = TransactionOptions.builder().isolation(isolation).build();
    runThreads(
        THREADS,
        random -> {
          for (int i = 0; i < TRANSACTIONS && failure.get() == null; i++) {
            Record record = new Record(ids.getAndIncrement(), random.nextInt(5) == 0);
            if (record.plain) {
              writePlain(random, record);
            } else {
              runTransaction(random, with, record);
            }
            records.add(record);
            if (random.nextInt(2000) == 0) {
              db.admin().flush();
            }
            if (random.nextInt(10_000) == 0) {
              db.admin().compactRange(null, null);
            }
          }
        });
    new Replay(isolation).check();
    assertThat(db.admin().stats().transactions().open()).isZero();
    assertThat(db.admin().stats().views().snapshots()).isZero();
  }

  private static String name(Random random) {
    return "k" + (char) ('a' + random.nextInt(KEYS));
  }

  private static String newValue(Random random, Record record) {
    return record.id + ":" + "v".repeat(random.nextInt(20) == 0 ? 600 : random.nextInt(20));
  }

  private static String commitKey(int id) {
    return String.format(Locale.ROOT, "commit%09d", id);
  }

  private void writePlain(Random random, Record record) {
    WriteBatch batch = batch();
    for (int i = 1 + random.nextInt(2); i > 0; i--) {
      String key = name(random);
      String value = random.nextInt(4) == 0 ? null : newValue(random, record);
      record.writes.put(key, value);
      if (value == null) {
        batch.delete(b(key));
      } else {
        batch.put(b(key), b(value));
      }
    }
    batch.put(b(commitKey(record.id)), b(""));
    db.write(batch);
    record.committed = true;
  }

  private void runTransaction(Random random, TransactionOptions with, Record record) {
    try (Transaction transaction = db.transaction(with)) {
      record.snapshot = transaction.snapshot().sequence();
      for (int i = 1 + random.nextInt(6); i > 0; i--) {
        operate(random, transaction, record);
      }
      if (!record.writes.isEmpty()) {
        transaction.put(b(commitKey(record.id)), b(""));
      }
      if (random.nextInt(50) == 0) {
        Thread.yield();
      }
      transaction.commit();
      record.committed = true;
    } catch (ConflictException e) {
      record.conflict = s(e.key());
    }
    record.lastSequenceAfter = db.admin().stats().writes().lastSequence();
  }

  private void operate(Random random, Transaction transaction, Record record) {
    String key = name(random);
    switch (random.nextInt(8)) {
      case 0, 1 -> read(record, key, s(transaction.get(b(key))));
      case 2 -> {
        read(record, key, s(transaction.getForUpdate(b(key))));
        record.forUpdate.add(key);
      }
      case 3 -> scan(random, transaction, record, key);
      case 4 -> {
        transaction.delete(b(key));
        record.writes.put(key, null);
      }
      default -> {
        String value = newValue(random, record);
        transaction.put(b(key), b(value));
        record.writes.put(key, value);
      }
    }
  }

  /** Own writes are checked at once, all others in the replay. */
  private void read(Record record, String key, String found) {
    if (record.writes.containsKey(key)) {
      assertThat(found).isEqualTo(Objects.requireNonNullElse(record.writes.get(key), NOT_FOUND));
    } else {
      record.reads.put(key, found);
    }
  }

  private void scan(Random random, Transaction transaction, Record record, String from) {
    Map<String, String> seen = new LinkedHashMap<>();
    int most = 1 + random.nextInt(4);
    ReadOptions read = ReadOptions.builder().upperBound(b("l")).build();
    try (DBIterator cursor = transaction.iterator(read)) {
      String to = from;
      cursor.seek(b(from));
      for (int i = 0; i < most && cursor.isValid(); i++) {
        if (i > 0) {
          cursor.next();
        }
        if (cursor.isValid()) {
          to = s(cursor.key());
          seen.put(to, s(cursor.value()));
        }
      }
      boolean ended = !cursor.isValid();
      NavigableMap<String, String> own = new TreeMap<>(record.writes);
      own.forEach(
          (key, value) -> {
            if (seen.containsKey(key)) {
              assertThat(seen.remove(key)).isEqualTo(value);
            }
          });
      for (String key : own.keySet()) {
        seen.remove(key);
      }
      record.scans.add(new Scan(from, ended ? "l" : to, ended, hideOwn(seen, own)));
    }
  }

  private static Map<String, String> hideOwn(
      Map<String, String> seen, NavigableMap<String, String> own) {
    Map<String, String> others = new LinkedHashMap<>(seen);
    own.keySet().forEach(key -> others.put(key, "(own)"));
    return others;
  }

  /** The state of all keys at each sequence number. */
  private final class Replay {
    private final Isolation isolation;
    private final Map<String, NavigableMap<Long, String>> versions = new HashMap<>();

    Replay(Isolation isolation) {
      this.isolation = isolation;
    }

    void check() {
      Map<String, Long> sequences = sequencesOfCommits();
      List<Record> committed = new ArrayList<>();
      int conflicts = 0;
      for (Record record : records) {
        Long sequence = sequences.get(commitKey(record.id));
        assertThat(sequence != null).isEqualTo(record.committed && !record.writes.isEmpty());
        if (sequence != null) {
          record.sequence = sequence;
          committed.add(record);
        }
        conflicts += record.conflict != null ? 1 : 0;
      }
      committed.sort(Comparator.comparingLong(record -> record.sequence));
      for (Record record : committed) {
        record.writes.forEach(
            (key, value) ->
                versions
                    .computeIfAbsent(key, k -> new TreeMap<>())
                    .put(record.sequence, value == null ? NOT_FOUND : value));
      }
      records.forEach(this::check);
      System.out.printf(
          "TransactionHistoryTest: %s, %d committed, %d conflicts%n",
          isolation, committed.size(), conflicts);
      assertThat(conflicts).as("the threads never met").isPositive();
    }

    /** The operations of a commit have neighbouring numbers, that of its own key among them. */
    private Map<String, Long> sequencesOfCommits() {
      db.admin().flush();
      Map<String, Long> sequences = new HashMap<>();
      try (InternalIterator all = allEntries()) {
        for (all.seekToFirst(); all.isValid(); all.next()) {
          int length = all.keyLength() - InternalKey.TRAILER;
          ByteBuffer buffer = all.keyBuffer();
          String key = s(InternalKey.copy(buffer, all.keyOffset(), length));
          if (key.startsWith("commit")) {
            long tag = InternalKey.tag(buffer, all.keyOffset(), all.keyLength());
            assertThat(sequences.put(key, InternalKey.sequence(tag))).isNull();
          }
        }
      }
      return sequences;
    }

    private String valueAt(String key, long sequence) {
      NavigableMap<Long, String> all = versions.get(key);
      Map.Entry<Long, String> entry = all == null ? null : all.floorEntry(sequence);
      return entry == null ? NOT_FOUND : entry.getValue();
    }

    private boolean isChanged(String key, long after, long before) {
      NavigableMap<Long, String> all = versions.get(key);
      return all != null && !all.subMap(after, false, before, false).isEmpty();
    }

    private void check(Record record) {
      String what = "-Dkv.seed=" + SEED + ", " + isolation + ", " + record;
      if (record.plain) {
        return;
      }
      record.reads.forEach(
          (key, value) ->
              assertThat(value).as(what + ", " + key).isEqualTo(valueAt(key, record.snapshot)));
      record.scans.forEach(scan -> checkScan(what, scan, record.snapshot));
      TreeSet<String> keys = new TreeSet<>(record.writes.keySet());
      keys.addAll(record.forUpdate);
      if (isolation == Isolation.SERIALIZABLE) {
        keys.addAll(record.reads.keySet());
      }
      if (record.sequence > 0) {
        for (String key : keys) {
          assertThat(isChanged(key, record.snapshot, record.sequence))
              .as(what + ": lost the change of " + key)
              .isFalse();
        }
        if (isolation == Isolation.SERIALIZABLE) {
          record.scans.forEach(scan -> checkScan(what, scan, record.sequence - 1));
        }
      } else if (record.conflict != null) {
        checkConflict(what, record, keys);
      }
    }

    /** A refused transaction depends on the key, which was written after its snapshot. */
    private void checkConflict(String what, Record record, TreeSet<String> keys) {
      String key = record.conflict;
      assertThat(isChanged(key, record.snapshot, record.lastSequenceAfter + 1))
          .as(what + ": refused, but nobody has written " + key)
          .isTrue();
      boolean scanned =
          record.scans.stream()
              .anyMatch(scan -> key.compareTo(scan.from()) >= 0 && key.compareTo(scan.to()) <= 0);
      assertThat(keys.contains(key) || (isolation == Isolation.SERIALIZABLE && scanned))
          .as(what + ": refused for the unrelated key " + key)
          .isTrue();
    }

    private void checkScan(String what, Scan scan, long sequence) {
      Map<String, String> expected = new LinkedHashMap<>();
      for (char c = 'a'; c < 'a' + KEYS; c++) {
        String key = "k" + c;
        boolean inside = key.compareTo(scan.from()) >= 0 && key.compareTo(scan.to()) <= 0;
        String value = valueAt(key, sequence);
        if (inside && !value.equals(NOT_FOUND) && !"(own)".equals(scan.seen().get(key))) {
          expected.put(key, value);
        }
      }
      Map<String, String> seen = new LinkedHashMap<>(scan.seen());
      seen.values().removeIf("(own)"::equals);
      assertThat(seen).as(what + ", " + scan).isEqualTo(expected);
    }
  }

  // A bank, a counter and write skew.

  private static byte[] account(int i) {
    return b("account" + i);
  }

  private static long number(byte[] value) {
    return value == null ? 0 : ByteBuffer.wrap(value).getLong();
  }

  private static byte[] bytes(long value) {
    return ByteBuffer.allocate(Long.BYTES).putLong(value).array();
  }

  @ParameterizedTest
  @EnumSource
  void bank_transfersOfManyThreads_keepTheSum(Isolation isolation) throws InterruptedException {
    open(tiny());
    int accounts = 10;
    for (int i = 0; i < accounts; i++) {
      db.put(account(i), bytes(100));
    }
    TransactionOptions with =
        TransactionOptions.builder().isolation(isolation).maxAttempts(10_000).build();
    runThreads(
        THREADS,
        random -> {
          for (int i = 0; i < 1500 * SCALE; i++) {
            int from = random.nextInt(accounts);
            int to = random.nextInt(accounts);
            long amount = random.nextInt(50);
            db.transact(
                with,
                transaction -> {
                  long left = number(transaction.get(account(from))) - amount;
                  if (left >= 0) {
                    transaction.put(account(from), bytes(left));
                    long before = number(transaction.get(account(to)));
                    transaction.put(account(to), bytes(before + amount));
                  }
                  return left;
                });
            if (i % 20 == 0) {
              put(key(random.nextInt(1000)), randomValue(random, 500)); // fills memtables
              assertThat(db.transact(with, TransactionHistoryTest::sum)).isEqualTo(100L * accounts);
            }
          }
        });
    assertThat(db.transact(TransactionHistoryTest::sum)).isEqualTo(100L * accounts);
  }

  private static long sum(Transaction transaction) {
    long[] sum = {0};
    transaction.forEach(
        ReadOptions.withPrefix(b("account")),
        (key, value) -> {
          long balance = number(value.toByteArray());
          assertThat(balance).isNotNegative();
          sum[0] += balance;
        });
    return sum[0];
  }

  @Test
  void counter_ofManyThreads_losesNothing() throws InterruptedException {
    open(tiny());
    TransactionOptions patient = TransactionOptions.builder().maxAttempts(10_000).build();
    TransactionOptions synced = patient.toBuilder().writeOptions(WriteOptions.SYNC).build();
    int each = 500 * SCALE;
    runThreads(
        THREADS,
        random -> {
          for (int i = 0; i < each; i++) {
            db.transact(
                i % 50 == 0 ? synced : patient,
                transaction ->
                    transaction.put(
                        b("counter"), bytes(number(transaction.get(b("counter"))) + 1)));
          }
        });
    assertThat(number(db.get(b("counter")))).isEqualTo((long) THREADS * each);
    assertThat(db.admin().stats().transactions().committed()).isEqualTo((long) THREADS * each);
  }

  /** Of two doctors one must be on call: each leaves only if the other is there. */
  @Test
  void writeSkew_ofManyThreads_doesNotHappenIfSerializable() throws InterruptedException {
    open(tiny());
    put("x", "on");
    put("y", "on");
    TransactionOptions patient =
        TransactionOptions.SERIALIZABLE.toBuilder().maxAttempts(10_000).build();
    runThreads(
        THREADS,
        random -> {
          for (int i = 0; i < 1000 * SCALE; i++) {
            String mine = random.nextBoolean() ? "x" : "y";
            String other = mine.equals("x") ? "y" : "x";
            db.transact(
                patient,
                transaction -> {
                  String state = s(transaction.get(b(other)));
                  boolean leaves = s(transaction.get(b(mine))).equals("on") && state.equals("on");
                  return transaction.put(b(mine), b(leaves ? "off" : "on"));
                });
            String both =
                db.transact(transaction -> s(transaction.get(b("x"))) + s(transaction.get(b("y"))));
            assertThat(both).isNotEqualTo("offoff");
          }
        });
  }
}

package dev.kv.core.crash;

import static java.nio.charset.StandardCharsets.US_ASCII;

import dev.kv.DB;
import dev.kv.Options;
import dev.kv.WriteBatch;
import dev.kv.WriteOptions;
import dev.kv.change.ChangeGroup;
import dev.kv.change.ChangeOptions;
import dev.kv.change.ChangePosition;
import dev.kv.change.Changes;
import dev.kv.env.Env;
import dev.kv.options.LogRetention;
import java.nio.file.Path;
import java.util.SplittableRandom;

/**
 * A child process that writes to one database, and keeps a second one in step with it by the change
 * feed. {@link ChangeFeedCrashTest} kills it. The position is stored in the same batch as the data.
 *
 * <p>Arguments: the directories of the two databases, and a seed.
 */
final class Follower {
  static final byte[] POSITION = "\0position".getBytes(US_ASCII);
  static final byte[] COUNTER = "counter".getBytes(US_ASCII);

  private Follower() {}

  static Options options(Env env) {
    return Options.builder()
        .createIfMissing(true)
        .writeBufferSize(64 << 10)
        .env(env)
        .logRetention(LogRetention.ofBytes(1L << 40))
        .build();
  }

  public static void main(String[] args) {
    SplittableRandom random = new SplittableRandom(Long.parseLong(args[2]));
    try (DB source = DB.open(Path.of(args[0]), options(Env.fileSystem()));
        DB copy = DB.open(Path.of(args[1]), Options.builder().createIfMissing(true).build())) {
      System.out.println("open");
      Thread writer = new Thread(() -> write(source, random));
      writer.setDaemon(true);
      writer.setUncaughtExceptionHandler((thread, e) -> fail(e));
      writer.start();
      try (Changes changes = source.changes().open(position(source, copy))) {
        while (true) {
          apply(changes.take(), copy);
        }
      }
    } catch (Throwable e) {
      fail(e);
    }
  }

  private static void fail(Throwable e) {
    e.printStackTrace();
    Runtime.getRuntime().halt(3);
  }

  /** Writes batches of a counter and an entry, forever. */
  private static void write(DB source, SplittableRandom random) {
    while (true) {
      writeNext(source, random);
    }
  }

  /** Writes the next batch: the counter, and an entry that is later overwritten or deleted. */
  static void writeNext(DB source, SplittableRandom random) {
    int number = 1 + counter(source);
    byte[] counter = Integer.toString(number).getBytes(US_ASCII);
    WriteBatch batch = WriteBatch.create().put(COUNTER, counter);
    byte[] key = ("key" + random.nextInt(100)).getBytes(US_ASCII);
    if (random.nextInt(4) == 0) {
      batch.delete(key);
    } else {
      batch.put(key, (number + "v".repeat(random.nextInt(2000))).getBytes(US_ASCII));
    }
    source.write(random.nextInt(8) == 0 ? WriteOptions.SYNC : WriteOptions.DEFAULT, batch);
  }

  /** Returns the number of the last batch in a database; 0 if there is none. */
  static int counter(DB db) {
    byte[] value = db.get(COUNTER);
    return value == null ? 0 : Integer.parseInt(new String(value, US_ASCII));
  }

  /** Returns the position of the copy; a new copy begins with the first change. */
  static ChangePosition position(DB source, DB copy) {
    byte[] stored = copy.get(POSITION);
    return stored == null ? source.changes().oldestPosition() : ChangePosition.ofBytes(stored);
  }

  /** Applies a group to the copy, with the position, after a check that it is the next one. */
  static void apply(ChangeGroup group, DB copy) {
    int last = counter(copy);
    WriteBatch batch = WriteBatch.create();
    batch.append(group);
    copy.write(batch.put(POSITION, group.position().toByteArray()));
    int now = counter(copy);
    if (now - last != group.count() / 2) {
      throw new AssertionError(group + " was applied after " + last + " and led to " + now);
    }
  }

  /** Applies all groups that there are now. */
  static void catchUp(DB source, DB copy, ChangeOptions options) {
    try (Changes changes = source.changes().open(options, position(source, copy))) {
      for (ChangeGroup group = changes.poll(); group != null; group = changes.poll()) {
        apply(group, copy);
      }
    }
  }
}

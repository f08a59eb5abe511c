package dev.kv.core.repair;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.fail;

import com.google.errorprone.annotations.CanIgnoreReturnValue;
import dev.kv.DB;
import dev.kv.DBIterator;
import dev.kv.Options;
import dev.kv.WriteOptions;
import dev.kv.bytes.DBComparator;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.inspect.TableContents;
import dev.kv.core.key.InternalKey;
import dev.kv.core.log.LogReader;
import dev.kv.core.log.RecordBuffer;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.state.DatabaseContext;
import dev.kv.core.table.TableIterator;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.Levels;
import dev.kv.env.Env;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.StrictMemEnv;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Any one file of a database is damaged or gone; then repair and open give a part of the true
 * history, with every entry of every other file, and of each whole block of a damaged table, in it.
 * Operation number n has sequence number n, so each entry that is found says which operation it
 * claims to be.
 */
@Tag("one-jdk")
class RepairPropertyTest {
  private static final long SEED = Long.getLong("kv.repair.seed", 8);
  private static final int ROUNDS =
      Integer.getInteger("kv.repair.rounds", Boolean.getBoolean("kv.long") ? 200 : 1);

  private static final int OPERATIONS = 3000;

  private final Path directory = Path.of("/repair/db");

  /** The value that each operation gave its key; null where it was a deletion. */
  private final List<@Nullable String> values = new ArrayList<>();

  private final List<String> keys = new ArrayList<>();

  private enum Damage {
    GONE,
    EMPTY,
    CUT,
    FLIPPED,
    ZERO_SECTOR,
    GARBAGE,
    /** Of a table the footer; the last bytes of any other file. */
    END_CUT,
    /** A byte of the index, where the file is a table. */
    INDEX,
    /** The same, and bytes anywhere. */
    INDEX_AND_MORE
  }

  /** A data block, and the operations whose entries it holds. */
  private record Block(long offset, long end, Set<Integer> operations) {}

  private static Options options(Env env) {
    return Options.builder()
        .createIfMissing(true)
        .env(env)
        .writeBufferSize(64 << 10)
        .maxFileSize(1 << 20)
        .blockSize(1 << 10)
        .build();
  }

  private static byte[] b(String text) {
    return DbTestBase.b(text);
  }

  /**
   * Fills a database over several levels, with overwritten and deleted keys, the last of them in
   * the log.
   */
  private void fill(Env env, Random random) {
    values.clear();
    keys.clear();
    try (DB db = DB.open(directory, options(env))) {
      fillPart(db, random, OPERATIONS / 2);
      db.admin().compactRange(null, null);
    }
    try (DB db = DB.open(directory, options(env))) {
      db.admin().suspendCompactions();
      fillPart(db, random, OPERATIONS / 4);
      db.admin().flush();
      fillPart(db, random, OPERATIONS / 4);
    }
  }

  private void fillPart(DB db, Random random, int operations) {
    for (int i = 0; i < operations; i++) {
      String key = DbTestBase.key(random.nextInt(400));
      String value = null;
      if (random.nextInt(4) == 0) {
        db.delete(b(key));
      } else {
        value = i + "-" + DbTestBase.randomValue(random, random.nextInt(200));
        db.put(b(key), b(value));
      }
      keys.add(key);
      values.add(value);
    }
  }

  /** Returns the numbers of the operations whose entries a database's tables hold, file by file. */
  private Map<Long, Set<Integer>> entriesOfTables(Env env) {
    Map<Long, Set<Integer>> byTable = new HashMap<>();
    try (DatabaseContext context = new DatabaseContext(directory, options(env));
        VersionSet versions = new VersionSet(context.manifestContext(), () -> {})) {
      versions.recover(true);
      for (int level = 0; level < Levels.COUNT; level++) {
        for (FileMetadata file : versions.current().files(level)) {
          Set<Integer> entries = new HashSet<>();
          try (TableIterator cursor = context.tables().iterator(file, true, false)) {
            for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
              entries.add(operationOf(cursor));
            }
          }
          byTable.put(file.number(), entries);
        }
      }
    }
    return byTable;
  }

  /** Returns which operation an entry claims to be, after checking that it is that one. */
  private int operationOf(TableIterator cursor) {
    byte[] key = InternalKey.copy(cursor.keyBuffer(), cursor.keyOffset(), cursor.keyLength());
    long tag = InternalKey.tag(key);
    int operation = (int) InternalKey.sequence(tag);
    assertThat(operation).isBetween(1, keys.size());
    assertThat(DbTestBase.s(InternalKey.userKey(key))).isEqualTo(keys.get(operation - 1));
    byte[] value = new byte[cursor.valueLength()];
    cursor.valueBuffer().get(cursor.valueOffset(), value);
    String expected = values.get(operation - 1);
    assertThat(InternalKey.kindCode(tag) == 0 ? null : DbTestBase.s(value)).isEqualTo(expected);
    return operation;
  }

  /** Returns what the database shows when the operations of this set alone were done. */
  private Map<String, String> shown(Set<Integer> operations) {
    Map<String, String> shown = new TreeMap<>();
    operations.stream()
        .sorted()
        .forEach(
            operation -> {
              String value = values.get(operation - 1);
              if (value == null) {
                shown.remove(keys.get(operation - 1));
              } else {
                shown.put(keys.get(operation - 1), value);
              }
            });
    return shown;
  }

  private Map<String, String> read(Env env) {
    Map<String, String> entries = new TreeMap<>();
    try (DB db = DB.open(directory, options(env));
        DBIterator cursor = db.iterator()) {
      for (cursor.seekToFirst(); cursor.isValid(); cursor.next()) {
        String key = DbTestBase.s(cursor.key());
        entries.put(key, DbTestBase.s(cursor.value()));
        assertThat(db.get(cursor.key())).isEqualTo(cursor.value());
      }
    }
    return entries;
  }

  private static byte[] content(Env env, Path file) throws IOException {
    ByteBuffer content = ByteBuffer.allocateDirect((int) env.size(file));
    try (var in = env.openSequential(file)) {
      while (content.hasRemaining() && in.read(content) >= 0) {
        continue;
      }
    }
    byte[] bytes = new byte[content.position()];
    content.get(0, bytes);
    return bytes;
  }

  private static void write(Env env, Path file, byte[] bytes) throws IOException {
    ByteBuffer direct = ByteBuffer.allocateDirect(bytes.length).put(bytes).flip();
    try (WritableFile out = env.createWritable(file)) {
      out.append(direct);
    }
  }

  /** Returns the blocks of the tables, by name. */
  private Map<String, List<Block>> blocks(Env env) throws IOException {
    Map<String, List<Block>> byName = new HashMap<>();
    for (String name : env.list(directory)) {
      FileName file = FileNames.parse(name);
      if (file == null || file.kind() != FileName.Kind.TABLE) {
        continue;
      }
      List<Block> blocks = new ArrayList<>();
      try (TableContents table = new TableContents(env, directory.resolve(name))) {
        for (TableContents.Named each : table.readHandles(table.footer().index())) {
          Set<Integer> operations = new HashSet<>();
          table.read(each.handle(), true);
          table.forEachEntry(
              (key, value) -> operations.add((int) InternalKey.sequence(InternalKey.tag(key))));
          long end = each.handle().offset() + each.handle().size() + 5;
          blocks.add(new Block(each.handle().offset(), end, operations));
        }
      }
      byName.put(name, blocks);
    }
    return byName;
  }

  /** Returns the operations in those of a file's blocks that are as they were. */
  private Set<Integer> unharmed(Env whole, Env damaged, String name, List<Block> blocks)
      throws IOException {
    Set<Integer> operations = new HashSet<>();
    if (damaged.exists(directory.resolve(name))) {
      byte[] before = content(whole, directory.resolve(name));
      byte[] after = content(damaged, directory.resolve(name));
      for (Block block : blocks) {
        int from = (int) block.offset();
        int to = (int) block.end();
        if (to <= after.length && Arrays.equals(before, from, to, after, from, to)) {
          operations.addAll(block.operations());
        }
      }
    }
    return operations;
  }

  private static void damage(Env env, Path file, Damage damage, Random random) throws IOException {
    byte[] bytes = content(env, file);
    int at = bytes.length == 0 ? 0 : random.nextInt(bytes.length);
    switch (damage) {
      case GONE -> {
        env.delete(file);
        return;
      }
      case EMPTY -> bytes = new byte[0];
      case CUT -> bytes = Arrays.copyOf(bytes, at);
      case FLIPPED -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case ZERO_SECTOR ->
          Arrays.fill(bytes, at - at % 512, Math.min(bytes.length, at - at % 512 + 512), (byte) 0);
      case GARBAGE -> random.nextBytes(bytes);
      case END_CUT -> bytes = Arrays.copyOf(bytes, Math.max(0, bytes.length - 48 + at % 48));
      case INDEX, INDEX_AND_MORE -> {
        for (int i = random.nextInt(4); i > 0 && damage == Damage.INDEX_AND_MORE; i--) {
          bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
        }
        bytes[Math.max(0, bytes.length - 48 - 20)] ^= 1;
      }
      default -> throw new AssertionError(damage);
    }
    write(env, file, bytes);
  }

  @Test
  void repair_anyOneFileDamagedOrGone_givesAPartOfTheHistoryWithAllOfTheRest() throws IOException {
    for (int round = 0; round < ROUNDS; round++) {
      Random random = new Random(SEED + round);
      StrictMemEnv whole = new StrictMemEnv();
      fill(whole, random);
      Map<Long, Set<Integer>> byTable = entriesOfTables(whole);
      Map<String, List<Block>> blocks = blocks(whole);
      assertThat(byTable).hasSizeGreaterThan(1);
      int flushed = byTable.values().stream().flatMap(Set::stream).mapToInt(n -> n).max().orElse(0);
      assertThat(flushed).isLessThan(keys.size());
      for (String name : whole.list(directory)) {
        FileName victim = FileNames.parse(name);
        if (victim == null || victim.kind() == FileName.Kind.LOCK) {
          continue;
        }
        for (Damage damage : Damage.values()) {
          String what = damage + " " + name + ", -Dkv.repair.seed=" + (SEED + round);
          StrictMemEnv env = whole.crashClone(100, 0);
          damage(env, directory.resolve(name), damage, random);
          Set<Integer> unharmed = unharmed(whole, env, name, blocks.getOrDefault(name, List.of()));
          try {
            Set<Integer> found = repairAndCheck(env, victim, byTable, flushed);
            assertThat(found).as("entries of whole blocks").containsAll(unharmed);
          } catch (RuntimeException | AssertionError e) {
            throw new AssertionError(what, e);
          }
        }
      }
    }
  }

  /** Returns the operations whose entries were found. */
  @CanIgnoreReturnValue
  private Set<Integer> repairAndCheck(
      Env env, FileName victim, Map<Long, Set<Integer>> byTable, int flushed) {
    DB.repair(directory, options(env));
    Set<Integer> found = new HashSet<>();
    entriesOfTables(env).values().forEach(found::addAll);
    byTable.forEach(
        (number, entries) -> {
          if (victim.kind() != FileName.Kind.TABLE || victim.number() != number) {
            assertThat(found).as("entries of table %d", number).containsAll(entries);
          }
        });
    if (victim.kind() != FileName.Kind.LOG) {
      for (int operation = flushed + 1; operation <= keys.size(); operation++) {
        assertThat(found).as("entries of the log").contains(operation);
      }
    }
    assertThat(read(env)).isEqualTo(shown(found));
    return found;
  }

  /** A MANIFEST that has lost its end looks whole where it was cut between two records. */
  @Test
  void repair_manifestCutAfterAnyRecord_losesNoTable() throws IOException {
    StrictMemEnv whole = new StrictMemEnv();
    fill(whole, new Random(SEED));
    Map<Long, Set<Integer>> byTable = entriesOfTables(whole);
    int flushed = byTable.values().stream().flatMap(Set::stream).mapToInt(n -> n).max().orElse(0);
    Path manifest = null;
    for (String name : whole.list(directory)) {
      manifest = name.startsWith("MANIFEST") ? directory.resolve(name) : manifest;
    }
    assertThat(manifest).isNotNull();
    List<Long> ends = new ArrayList<>();
    try (LogReader reader = new LogReader(whole, manifest, (a, c, d, e) -> {})) {
      RecordBuffer record = new RecordBuffer();
      while (reader.readRecord(record)) {
        ends.add(reader.endOfLastRecord());
      }
    }
    assertThat(ends).hasSizeGreaterThan(3);
    FileName victim = new FileName(FileName.Kind.MANIFEST, 0, "MANIFEST-0");
    for (long end : ends) {
      StrictMemEnv env = whole.crashClone(100, 0);
      write(env, manifest, Arrays.copyOf(content(env, manifest), (int) end));
      repairAndCheck(env, victim, byTable, flushed);
    }
  }

  /**
   * Power is lost before each operation that a repair does; another repair then brings everything
   * back.
   */
  @Test
  void repair_cutOffByLossOfPower_losesNothing() throws IOException {
    StrictMemEnv whole = new StrictMemEnv();
    fill(whole, new Random(SEED));
    Set<Integer> all = new HashSet<>();
    entriesOfTables(whole).values().forEach(all::addAll);
    for (int i = all.stream().mapToInt(n -> n).max().orElse(0) + 1; i <= keys.size(); i++) {
      all.add(i);
    }
    Map<String, String> expected = shown(all);
    StrictMemEnv broken = whole.crashClone(100, 0);
    broken.delete(directory.resolve("CURRENT"));
    broken.syncDirectory(directory);
    FaultEnv watched = new FaultEnv(broken);
    List<StrictMemEnv> crashed = new ArrayList<>();
    Random random = new Random(SEED);
    watched.watch(
        operation -> {
          boolean reads =
              switch (operation.kind()) {
                case OPEN, READ, LIST, LOCK -> true;
                case WRITE -> random.nextInt(40) > 0;
                default -> false;
              };
          if (!reads) {
            crashed.add(broken.crashClone(50 * random.nextInt(3), crashed.size()));
          }
        });
    DB.repair(directory, options(watched));
    assertThat(crashed).hasSizeGreaterThan(20);
    assertThat(read(broken)).isEqualTo(expected);
    for (int i = 0; i < crashed.size(); i++) {
      StrictMemEnv env = crashed.get(i);
      try {
        if (env.exists(directory.resolve("CURRENT"))) {
          assertThat(read(env)).isEqualTo(expected);
        } else {
          DB.repair(directory, options(env));
          assertThat(read(env)).isEqualTo(expected);
        }
      } catch (CorruptionException | DBIOException | AssertionError e) {
        fail("crash " + i + " of " + crashed.size() + ", -Dkv.repair.seed=" + SEED, e);
      }
    }
  }

  /**
   * The first open after a repair goes on with its MANIFEST, and power is lost within what it
   * appends. The comparator's name puts that across the bounds of sectors, which are what is torn.
   */
  @Test
  void open_afterARepair_cutOffByLossOfPower_isPossibleAgain() throws IOException {
    int opened = 0;
    for (int length = 440; length < 490; length += 3) {
      StrictMemEnv disk = new StrictMemEnv();
      DBComparator order = DBComparator.ofArrays("n".repeat(length), Arrays::compareUnsigned);
      Options options = options(disk).toBuilder().comparator(order).reuseLogs(true).build();
      try (DB db = DB.open(directory, options)) {
        db.put(WriteOptions.SYNC, b("a"), b("1"));
      }
      disk.delete(directory.resolve("CURRENT"));
      DB.repair(directory, options);
      List<StrictMemEnv> crashed = new ArrayList<>();
      FaultEnv watched = new FaultEnv(disk);
      watched.watch(
          operation -> {
            boolean appended =
                operation.kind() == FaultEnv.Kind.SYNC
                    && operation.path().toString().contains("MANIFEST");
            for (int i = 0; i < 40 && appended; i++) {
              crashed.add(disk.crashClone(50, crashed.size()));
            }
          });
      try (DB db = DB.open(directory, options.toBuilder().env(watched).build())) {
        db.put(WriteOptions.SYNC, b("b"), b("2"));
        db.admin().flush();
      }
      for (StrictMemEnv found : crashed) {
        try (DB db = DB.open(directory, options.toBuilder().env(found).build())) {
          assertThat(db.get(b("a"))).as("name of %d bytes", length).isEqualTo(b("1"));
          opened++;
        }
      }
    }
    assertThat(opened).isGreaterThan(600);
  }
}

package dev.kv.testing;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingMappedLogFile;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.MappedLogFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An environment in memory that simulates loss of power. {@link #crashClone} returns the
 * environment that is found afterwards. Thread-safe. Nothing needs to be closed.
 *
 * <p>The rules are those of POSIX, and weaker only for the deletion of directories:
 *
 * <ul>
 *   <li>Written data can be lost until its file is synced, page by page and in any order. After a
 *       crash, a page has its synced version, its last version, a version in between, or a mix of
 *       their sectors of 512 bytes. The size of a file can be lost in the same way.
 *   <li>The creation, renaming or deletion of a name can be lost until its directory is synced, in
 *       any order. A rename is lost as a whole or not at all. Syncing a file does not make its name
 *       durable.
 *   <li>A new directory can be lost, with all of its files, until its parent is synced. The
 *       deletion of a directory is durable immediately. The renaming of one is lost or kept with
 *       all of its files, until the parent of the new name is synced.
 * </ul>
 *
 * <p>A test writes to a database, remembers what was acknowledged with {@link
 * dev.kv.WriteOptions#SYNC}, and looks for it in a clone:
 *
 * <pre>{@code
 * StrictMemEnv disk = new StrictMemEnv();
 * Options options = Options.builder().createIfMissing(true).env(disk).build();
 * Path directory = Path.of("/db");
 * try (DB db = DB.open(directory, options)) {
 *   db.put(WriteOptions.SYNC, key, value);
 *   db.put(other, value);
 *   for (int seed = 0; seed < 100; seed++) {
 *     StrictMemEnv found = disk.crashClone(50, seed);
 *     try (DB after = DB.open(directory, options.toBuilder().env(found).build())) {
 *       // key is there; other may be there, and then with its complete value
 *     }
 *   }
 * }
 * }</pre>
 */
public final class StrictMemEnv extends ForwardingEnv {
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Path, StrictFile> names = new TreeMap<>();
  private final Tree durable = new Tree();
  private final List<NameChange> unsyncedNames = new ArrayList<>();
  private final Random random = new Random(1);

  /** Creates an environment without files. */
  public StrictMemEnv() {
    super(Env.inMemory());
  }

  /**
   * Returns the environment that would be found if power were lost now. Everything in it is
   * durable. This environment is not changed.
   *
   * @param percentKept the probability with which each unsynced page and name has reached the disk,
   *     in percent: 0 loses everything unsynced, 100 loses nothing
   * @param seed the seed of the choices: the same seed at the same moment gives the same clone
   * @return the environment after the crash
   * @throws IllegalArgumentException if {@code percentKept} is not between 0 and 100
   */
  public StrictMemEnv crashClone(int percentKept, long seed) {
    if (percentKept < 0 || percentKept > 100) {
      throw new IllegalArgumentException("percent kept: " + percentKept);
    }
    lock.lock();
    try {
      Random choices = new Random(seed * 1_000_003 + percentKept);
      Tree found = durable.copy();
      for (NameChange change : unsyncedNames) {
        if (choices.nextInt(100) < percentKept) {
          change.apply(found);
        }
      }
      StrictMemEnv clone = new StrictMemEnv();
      for (Path directory : found.directories) {
        Path parent = directory.getParent(); // it comes before the directory
        if (parent == null || clone.durable.directories.contains(parent)) {
          clone.createDurableDirectory(directory);
        }
      }
      Set<Path> kept = clone.durable.directories;
      found.names.keySet().removeIf(path -> !kept.contains(path.getParent()));
      Map<StrictFile, byte[]> contents = new IdentityHashMap<>();
      for (Map.Entry<Path, StrictFile> name : found.names.entrySet()) {
        byte[] content = contents.get(name.getValue());
        if (content == null) {
          content = name.getValue().afterCrash(percentKept, choices);
          contents.put(name.getValue(), content);
        }
        clone.putDurable(name.getKey(), content);
      }
      return clone;
    } catch (IOException e) {
      throw new AssertionError(e);
    } finally {
      lock.unlock();
    }
  }

  /**
   * Creates a directory and its parents, and makes them durable, with all that is in the parents.
   *
   * @param directory the path of the directory
   * @throws IOException if the directory cannot be created
   */
  public void createDurableDirectory(Path directory) throws IOException {
    createDirectory(directory);
    for (Path each = normal(directory).getParent(); each != null; each = each.getParent()) {
      syncDirectory(each);
    }
  }

  private void putDurable(Path path, byte[] content) throws IOException {
    try (WritableFile file = createWritable(path)) {
      file.append(ByteBuffer.wrap(content));
      file.sync();
    }
    syncDirectory(Objects.requireNonNull(path.getParent()));
  }

  /**
   * Returns the number of unsynced pages of files that have a name.
   *
   * @return the number of pages of 4 KiB
   */
  public int unsyncedPages() {
    lock.lock();
    try {
      return names.values().stream().mapToInt(StrictFile::unsyncedPages).sum();
    } finally {
      lock.unlock();
    }
  }

  /**
   * Returns the number of unsynced creations, renamings and deletions of names.
   *
   * @return the number of changes
   */
  public int unsyncedNames() {
    lock.lock();
    try {
      return unsyncedNames.size();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    lock.lock();
    try {
      truncating(file);
      return new Writable(super.createWritable(file), named(file));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    lock.lock();
    try {
      return new Writable(super.openAppendable(file), named(file));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public MappedLogFile createMappedLog(Path file) throws IOException {
    lock.lock();
    try {
      truncating(file);
      MappedLogFile log = Objects.requireNonNull(super.createMappedLog(file));
      return new MappedLog(log, named(file));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    lock.lock();
    try {
      Lock held = super.lock(file);
      named(file);
      return held;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    lock.lock();
    try {
      super.delete(file);
      names.remove(normal(file));
      unsyncedNames.add(new NameChange(normal(file), null, null));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    lock.lock();
    try {
      super.rename(from, to);
      StrictFile file = names.remove(normal(from));
      if (file == null) {
        moveAll(names, normal(from), normal(to));
      } else {
        names.put(normal(to), file);
      }
      unsyncedNames.add(new NameChange(normal(from), normal(to), file));
    } finally {
      lock.unlock();
    }
  }

  /** Moves all paths below a directory that is renamed. */
  private static void moveAll(Map<Path, StrictFile> files, Path from, Path to) {
    for (Path path : List.copyOf(files.keySet())) {
      if (path.startsWith(from)) {
        files.put(to.resolve(from.relativize(path)), Objects.requireNonNull(files.remove(path)));
      }
    }
  }

  @Override
  public boolean link(Path existing, Path link) throws IOException {
    lock.lock();
    try {
      super.link(existing, link);
      StrictFile file = Objects.requireNonNull(names.get(normal(existing)));
      names.put(normal(link), file);
      unsyncedNames.add(new NameChange(null, normal(link), file));
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    lock.lock();
    try {
      List<NameChange> created = new ArrayList<>();
      for (Path each = normal(directory); each != null && !exists(each); each = each.getParent()) {
        created.add(0, new NameChange(null, each, null));
      }
      super.createDirectory(directory);
      unsyncedNames.addAll(created);
      durable.directories.add(normal(directory).getRoot());
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void deleteDirectory(Path directory) throws IOException {
    lock.lock();
    try {
      super.deleteDirectory(directory);
      durable.directories.remove(normal(directory));
      unsyncedNames.removeIf(change -> change.creates(normal(directory)));
      durable.names.keySet().removeIf(path -> normal(directory).equals(path.getParent()));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    lock.lock();
    try {
      super.syncDirectory(directory);
      Path synced = normal(directory);
      List<NameChange> left = new ArrayList<>();
      for (NameChange change : unsyncedNames) {
        if (change.isIn(synced)) {
          change.apply(durable);
        } else {
          left.add(change);
        }
      }
      unsyncedNames.clear();
      unsyncedNames.addAll(left);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the state of the file that {@code path} names, and records the name if it is new. */
  private StrictFile named(Path path) throws IOException {
    StrictFile file = names.get(normal(path));
    if (file == null) {
      file = new StrictFile(super.openRandomAccess(path, false), random);
      names.put(normal(path), file);
      unsyncedNames.add(new NameChange(null, normal(path), file));
    }
    return file;
  }

  /** Records that the file of this name, if it exists, loses its content. */
  private void truncating(Path path) throws IOException {
    StrictFile file = names.get(normal(path));
    if (file != null) {
      file.cut(0);
    }
  }

  private static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  /** The directories and the names of files at one moment. */
  private static final class Tree {
    final TreeSet<Path> directories = new TreeSet<>();
    final Map<Path, StrictFile> names = new TreeMap<>();

    Tree copy() {
      Tree copy = new Tree();
      copy.directories.addAll(directories);
      copy.names.putAll(names);
      return copy;
    }

    void rename(Path from, Path to) {
      for (Path directory : List.copyOf(directories)) {
        if (directory.startsWith(from)) {
          directories.remove(directory);
          directories.add(to.resolve(from.relativize(directory)).normalize());
        }
      }
      directories.add(to);
      moveAll(names, from, to);
    }
  }

  /**
   * A name that is removed or added, or a rename, which does both in one step. The creation and the
   * rename of a directory have no file.
   */
  private record NameChange(
      @Nullable Path removed, @Nullable Path added, @Nullable StrictFile file) {
    void apply(Tree to) {
      if (removed != null && added != null && file == null) {
        to.rename(removed, added);
        return;
      }
      if (removed != null) {
        to.names.remove(removed);
      }
      if (added != null && file != null) {
        to.names.put(added, file);
      } else if (added != null) {
        to.directories.add(added);
      }
    }

    boolean creates(Path directory) {
      return removed == null && file == null && directory.equals(added);
    }

    boolean isIn(Path directory) {
      Path path = added != null ? added : removed;
      return path != null && directory.equals(path.getParent());
    }
  }

  /** A file that is appended to. */
  private final class Writable extends ForwardingWritableFile {
    private final StrictFile file;

    Writable(WritableFile target, StrictFile file) {
      super(target);
      this.file = file;
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      lock.lock();
      try {
        long from = length();
        super.append(bytes);
        file.written(from, length());
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void sync() throws IOException {
      lock.lock();
      try {
        super.sync();
        file.synced(0, Long.MAX_VALUE);
      } finally {
        lock.unlock();
      }
    }
  }

  /** A mapped log. */
  private final class MappedLog extends ForwardingMappedLogFile {
    private final StrictFile file;

    MappedLog(MappedLogFile target, StrictFile file) {
      super(target);
      this.file = file;
    }

    @Override
    public void reserve(long end) throws IOException {
      lock.lock();
      try {
        long from = reserved();
        super.reserve(end);
        file.written(from, reserved());
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
      lock.lock();
      try {
        super.store(position, source, offset, length);
        file.written(position, position + length);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void sync(long from, long to) throws IOException {
      lock.lock();
      try {
        super.sync(from, to);
        file.synced(from, to);
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void cut(long length) throws IOException {
      lock.lock();
      try {
        super.cut(length);
        file.cut(length);
      } finally {
        lock.unlock();
      }
    }
  }
}

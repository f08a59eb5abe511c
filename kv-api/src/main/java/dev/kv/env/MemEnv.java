package dev.kv.env;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * An environment whose files are in memory and exist as long as it does. Paths are made absolute
 * and normalized; nothing on disk is accessed. As on disk, a file that is deleted while it is open
 * stays usable through its open handles. The clock and the threads are those of the file system's
 * environment.
 */
final class MemEnv extends ForwardingEnv {
  private final ReentrantLock lock = new ReentrantLock();

  // Guarded by lock.
  private final Map<Path, MemFile> files = new HashMap<>();
  private final Set<Path> directories = new HashSet<>();
  private final Set<Path> locked = new HashSet<>();

  /** Creates an environment without files. */
  MemEnv() {
    super(Env.fileSystem());
  }

  @Override
  public boolean isSymbolicLink(Path path) {
    return false;
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    return new MemHandles.Sequential(file, existing(file));
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    return new MemHandles.Random(file, existing(file));
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    MemFile created = existingOrNew(file);
    created.resize(0);
    return new MemHandles.Writable(file, created);
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    return new MemHandles.Writable(file, existingOrNew(file));
  }

  @Override
  public MappedLogFile createMappedLog(Path file) throws IOException {
    MemFile created = existingOrNew(file);
    created.resize(0);
    return new MemHandles.MappedLog(file, created);
  }

  @Override
  public boolean exists(Path file) {
    Path path = normal(file);
    lock.lock();
    try {
      return files.containsKey(path) || isDirectory(path);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    Path path = normal(directory);
    lock.lock();
    try {
      checkDirectory(path);
      List<String> names = new ArrayList<>();
      for (Path file : files.keySet()) {
        addIfChild(path, file, names);
      }
      for (Path child : directories) {
        addIfChild(path, child, names);
      }
      return names;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void delete(Path file) throws IOException {
    Path path = normal(file);
    lock.lock();
    try {
      if (isDirectory(path)) {
        throw new FileSystemException(file.toString(), null, "is a directory");
      }
      if (files.remove(path) == null) {
        throw new NoSuchFileException(file.toString());
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    lock.lock();
    try {
      for (Path path = normal(directory); path != null; path = path.getParent()) {
        if (files.containsKey(path)) {
          throw new FileAlreadyExistsException(path.toString());
        }
      }
      for (Path path = normal(directory); path != null; path = path.getParent()) {
        directories.add(path);
      }
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void deleteDirectory(Path directory) throws IOException {
    Path path = normal(directory);
    lock.lock();
    try {
      checkDirectory(path);
      if (!list(path).isEmpty()) {
        throw new DirectoryNotEmptyException(directory.toString());
      }
      directories.remove(path);
    } finally {
      lock.unlock();
    }
  }

  @Override
  public long size(Path file) throws IOException {
    return existing(file).size();
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    Path source = normal(from);
    Path target = normal(to);
    lock.lock();
    try {
      if (directories.contains(source)) {
        renameDirectory(source, target);
        return;
      }
      MemFile file = existing(from);
      checkFileCanBe(target);
      files.remove(source);
      files.put(target, file);
    } finally {
      lock.unlock();
    }
  }

  private void renameDirectory(Path source, Path target) throws IOException {
    if (exists(target) || target.startsWith(source)) {
      throw new FileAlreadyExistsException(target.toString());
    }
    checkFileCanBe(target);
    for (Path directory : List.copyOf(directories)) {
      if (directory.startsWith(source)) {
        directories.remove(directory);
        directories.add(target.resolve(source.relativize(directory)).normalize());
      }
    }
    for (Path file : List.copyOf(files.keySet())) {
      if (file.startsWith(source)) {
        files.put(target.resolve(source.relativize(file)), files.remove(file));
      }
    }
  }

  @Override
  public boolean link(Path existing, Path link) throws IOException {
    Path target = normal(link);
    lock.lock();
    try {
      MemFile file = existing(existing);
      if (exists(target)) {
        throw new FileAlreadyExistsException(link.toString());
      }
      checkFileCanBe(target);
      files.put(target, file);
      return true;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    lock.lock();
    try {
      checkDirectory(normal(directory));
    } finally {
      lock.unlock();
    }
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    Path path = normal(file);
    lock.lock();
    try {
      existingOrNew(file);
      return locked.add(path) ? new HeldLock(path) : null;
    } finally {
      lock.unlock();
    }
  }

  private void unlock(Path path) {
    lock.lock();
    try {
      locked.remove(path);
    } finally {
      lock.unlock();
    }
  }

  /** Returns the file of that name. */
  MemFile existing(Path file) throws IOException {
    Path path = normal(file);
    lock.lock();
    try {
      MemFile found = files.get(path);
      if (found != null) {
        return found;
      }
      if (isDirectory(path)) {
        throw new FileSystemException(file.toString(), null, "is a directory");
      }
      throw new NoSuchFileException(file.toString());
    } finally {
      lock.unlock();
    }
  }

  private MemFile existingOrNew(Path file) throws IOException {
    Path path = normal(file);
    lock.lock();
    try {
      checkFileCanBe(path);
      return files.computeIfAbsent(path, absent -> new MemFile());
    } finally {
      lock.unlock();
    }
  }

  private void checkFileCanBe(Path path) throws IOException {
    if (isDirectory(path)) {
      throw new FileSystemException(path.toString(), null, "is a directory");
    }
    Path parent = path.getParent();
    if (parent == null || !isDirectory(parent)) {
      throw new NoSuchFileException(path.toString(), null, "its directory does not exist");
    }
  }

  private void checkDirectory(Path path) throws IOException {
    if (files.containsKey(path)) {
      throw new NotDirectoryException(path.toString());
    }
    if (!isDirectory(path)) {
      throw new NoSuchFileException(path.toString());
    }
  }

  private boolean isDirectory(Path path) {
    return path.getParent() == null || directories.contains(path);
  }

  private static void addIfChild(Path directory, Path path, List<String> names) {
    if (directory.equals(path.getParent())) {
      names.add(String.valueOf(path.getFileName()));
    }
  }

  private static Path normal(Path path) {
    return path.toAbsolutePath().normalize();
  }

  /** A lock of this environment. */
  private final class HeldLock implements Lock {
    private final Path path;
    private boolean closed;

    HeldLock(Path path) {
      this.path = path;
    }

    @Override
    public void close() {
      if (!closed) {
        closed = true;
        unlock(path);
      }
    }
  }
}

package dev.kv.tools.maintenance;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * An environment that shows changes to a directory without making them. New files are written to a
 * temporary directory; deletes and renames are only noted. Closing it drops all changes, and so
 * does a shutdown hook if the process is interrupted; an operation in progress fails then.
 * Thread-safe.
 */
final class OverlayEnv extends ForwardingEnv implements AutoCloseable {
  private final Path directory;
  private final Path scratch;
  private final AtomicInteger lastNumber = new AtomicInteger();

  /**
   * The places of new and renamed files, by the names under which they are seen; guarded by this.
   */
  private final Map<Path, Path> changed = new HashMap<>();

  /** The files that are not seen any more; guarded by this. */
  private final Set<Path> deleted = new TreeSet<>();

  private final Thread interrupted = new Thread(this::interrupt, "kv-interrupted");

  /** True if the temporary directory is deleted; guarded by this. */
  private boolean closed;

  OverlayEnv(Env target, Path directory) throws IOException {
    super(target);
    this.directory = directory;
    scratch = Files.createTempDirectory("kv-dry-run");
    Runtime.getRuntime().addShutdownHook(interrupted);
  }

  private synchronized void requireOpen() throws IOException {
    if (closed) {
      throw new IOException("interrupted");
    }
  }

  /** Returns the place of a file to read. */
  private synchronized Path place(Path file) throws IOException {
    requireOpen();
    if (deleted.contains(file)) {
      throw new NoSuchFileException(file.toString());
    }
    return changed.getOrDefault(file, file);
  }

  /** Returns the place for a new file. */
  private synchronized Path newPlace(Path file) throws IOException {
    requireOpen();
    Path place = scratch.resolve(Integer.toString(lastNumber.incrementAndGet()));
    changed.put(file, place);
    deleted.remove(file);
    return place;
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    return target().openSequential(place(file));
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    return target().openRandomAccess(place(file), map);
  }

  @Override
  public synchronized WritableFile createWritable(Path file) throws IOException {
    return new ScratchFile(target().createWritable(newPlace(file)));
  }

  @Override
  public synchronized WritableFile openAppendable(Path file) throws IOException {
    if (exists(file)) {
      throw new FileAlreadyExistsException(file.toString(), null, "appending is not overlaid");
    }
    return new ScratchFile(target().openAppendable(newPlace(file)));
  }

  @Override
  public @Nullable MappedLogFile createMappedLog(Path file) {
    return null;
  }

  @Override
  public synchronized boolean exists(Path file) throws IOException {
    return changed.containsKey(file) || !deleted.contains(file) && target().exists(file);
  }

  @Override
  public synchronized List<String> list(Path listed) throws IOException {
    Set<String> names = new TreeSet<>();
    if (target().exists(listed)) {
      names.addAll(target().list(listed));
    }
    for (Path file : deleted) {
      if (listed.equals(file.getParent())) {
        names.remove(String.valueOf(file.getFileName()));
      }
    }
    for (Path file : changed.keySet()) {
      if (listed.equals(file.getParent())) {
        names.add(String.valueOf(file.getFileName()));
      }
    }
    return new ArrayList<>(names);
  }

  @Override
  public synchronized void delete(Path file) throws IOException {
    if (!exists(file)) {
      throw new NoSuchFileException(file.toString());
    }
    Path place = changed.remove(file);
    if (place != null && place.startsWith(scratch)) { // it may be a file that was renamed
      Files.deleteIfExists(place);
    }
    deleted.add(file);
  }

  @Override
  public synchronized void rename(Path from, Path to) throws IOException {
    Path place = place(from);
    if (!exists(from) && !target().isSymbolicLink(from)) { // a link is renamed, wherever it leads
      throw new NoSuchFileException(from.toString());
    }
    changed.remove(from);
    deleted.add(from);
    changed.put(to, place);
    deleted.remove(to);
  }

  @Override
  public boolean link(Path existing, Path link) {
    return false;
  }

  @Override
  public long size(Path file) throws IOException {
    return target().size(place(file));
  }

  @Override
  public void createDirectory(Path created) {
    // A file is seen in whatever directory it is created in or renamed into.
  }

  @Override
  public void deleteDirectory(Path directory) {
    // Directories are seen only by their files.
  }

  @Override
  public void syncDirectory(Path synced) {
    // Nothing here is kept.
  }

  @Override
  public Lock lock(Path file) {
    return () -> {};
  }

  private void interrupt() {
    try {
      deleteScratch();
    } catch (IOException e) {
      System.err.println("kv: interrupted; the files in " + scratch + " are not deleted");
    }
  }

  /** Deletes the temporary directory. */
  @Override
  public void close() throws IOException {
    try {
      Runtime.getRuntime().removeShutdownHook(interrupted);
    } catch (IllegalStateException ending) {
      Thread.yield(); // the process ends, and the hook deletes what is left
    }
    deleteScratch();
  }

  private synchronized void deleteScratch() throws IOException {
    if (closed) {
      return;
    }
    closed = true;
    try (Stream<Path> files = Files.list(scratch)) {
      for (Path file : files.toList()) {
        Files.delete(file);
      }
    }
    Files.delete(scratch);
  }

  /** The temporary directory cannot be written. */
  static final class ScratchException extends IOException {
    private static final long serialVersionUID = 1;

    ScratchException(Path scratch, IOException cause) {
      super("cannot write to " + scratch + ": " + cause.getMessage(), cause);
    }
  }

  /** A new file. What fails to write it names the temporary directory. */
  private final class ScratchFile extends ForwardingWritableFile {
    ScratchFile(WritableFile target) {
      super(target);
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      try {
        super.append(bytes);
      } catch (IOException e) {
        throw new ScratchException(scratch, e);
      }
    }

    @Override
    public void flush() throws IOException {
      try {
        super.flush();
      } catch (IOException e) {
        throw new ScratchException(scratch, e);
      }
    }

    @Override
    public void sync() throws IOException {
      flush(); // nothing here is kept
    }

    @Override
    public void close() throws IOException {
      try {
        super.close();
      } catch (IOException e) {
        throw new ScratchException(scratch, e);
      }
    }
  }

  @Override
  public String toString() {
    return "OverlayEnv[" + directory + "]";
  }
}

package dev.kv.core.env;

import dev.kv.env.MappedLogFile;
import dev.kv.file.PendingFault;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.lang.invoke.VarHandle;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Arrays;
import java.util.Objects;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A log on disk that is written by stores into windows mapped over it.
 *
 * <pre>
 *   0                                     reserved       size of the file
 *   | records stored | zeros, filled ahead | hole         |
 *   |--- window ---|------ window ------|---- window -----|
 * </pre>
 *
 * <p>The file grows one window at a time. First its size is set, so that it ends on a multiple of
 * 32 KiB whatever happens next, and the new part is a hole. Then write() fills the hole with zeros,
 * 16 KiB at a time, ahead of the stores. A store into a hole of a file on a full disk would fault;
 * after the fill it cannot, unless the file system copies a page that it writes again (btrfs, and
 * XFS if another file shares the blocks). Larger writes would make the page cache use larger pages,
 * and a sync writes whole pages.
 *
 * <p>A store that faults leaves its last byte as it was, and the {@link PendingFault} may be thrown
 * much later. So each store looks at that byte afterwards. It was a zero; if it is to be a zero
 * again, it is set to a mark first, which is looked at, too: the page may not take the mark either.
 * A killed process may leave the mark where it may leave any byte of an unfinished store: after the
 * last header, whose own last byte is not zero.
 *
 * <p>A sync of a range is msync, on Linux fdatasync of that range: it covers newly allocated blocks
 * and a changed size. But the first sync after the file grew is an fsync of the file, because that
 * relies only on POSIX. On Linux that covers the mapped pages, too; elsewhere they are forced
 * before it.
 */
final class FileMappedLog implements MappedLogFile {
  static final int BLOCK = 32 << 10;

  private static final int FILL = 16 << 10;
  private static final int PAGE = 4 << 10;

  /** What the last byte of a store is before the copy if it is to be a zero afterwards. */
  private static final byte MARK = 0x5a;

  /**
   * The size of the first window and the smallest size of later ones: enough for the log of a usual
   * memtable.
   */
  private static final long USUAL_WINDOW = 4 << 20;

  private static final long LARGEST_WINDOW = 16 << 20;

  /**
   * The size that is tried before a block if the file cannot grow by a window of the usual size.
   */
  private static final long LAST_RESORT = 1 << 20;

  private static final byte[] ZEROS = new byte[FILL];

  /** Thrown if the file can be written, but not mapped. */
  static final class NotMappedException extends IOException {
    private static final long serialVersionUID = 1;

    NotMappedException(IOException cause) {
      super(cause.getMessage(), cause);
    }
  }

  private final Path path;
  private final RandomAccessFile file;
  private final Mapper mapper;
  private final DescriptorSync descriptorSync;
  private final PendingFault pendingFault = new PendingFault();
  private final ReentrantLock reserving = new ReentrantLock();

  // Written with the lock reserving held.
  private volatile long reserved;
  private volatile boolean sizeUnsynced;
  private volatile boolean closed;
  private volatile Window[] windows = {};

  // Used by the storing thread alone: the window of the last store.
  private @Nullable Window current;

  /** Takes ownership of {@code file}, which is empty; closes it when the log is closed. */
  FileMappedLog(Path path, RandomAccessFile file, Mapper mapper, DescriptorSync descriptorSync) {
    this.path = path;
    this.file = file;
    this.mapper = mapper;
    this.descriptorSync = descriptorSync;
  }

  @Override
  public long reserved() {
    return reserved;
  }

  @Override
  public void reserve(long end) throws IOException {
    if (end < 0 || end % BLOCK != 0) {
      throw new IllegalArgumentException("end " + end + " is not a multiple of " + BLOCK);
    }
    reserving.lock();
    try {
      checkOpen();
      if (file.length() < reserved) {
        throw new IOException(path + " was cut short, to " + file.length() + " of " + reserved);
      }
      for (long filled = reserved; filled < end; filled += BLOCK) {
        if (filled == mapped()) {
          mapNext(filled);
        }
        fill(filled);
        reserved = filled + BLOCK;
      }
    } finally {
      reserving.unlock();
    }
  }

  /**
   * Writes zeros over a block and touches its pages, because a page fault would cost the storing
   * thread 1 us.
   */
  private void fill(long start) throws IOException {
    file.seek(start);
    for (int i = 0; i < BLOCK / FILL; i++) {
      file.write(ZEROS, 0, FILL);
    }
    InternalError fault = touch(windows[windows.length - 1], start);
    if (fault != null) {
      throw new IOException("cannot store at " + start + " of " + path, fault);
    }
  }

  private @Nullable InternalError touch(Window window, long start) {
    try {
      for (int i = 0; i < BLOCK; i += PAGE) {
        window.mapping.buffer().put((int) (start - window.start) + i, (byte) 0);
      }
      return pendingFault.absorb();
    } catch (InternalError e) {
      return e;
    }
  }

  /** Returns the end of the last window. */
  private long mapped() {
    Window[] all = windows;
    return all.length == 0 ? 0 : all[all.length - 1].end;
  }

  private void mapNext(long start) throws IOException {
    long length = grow(start);
    Mapping mapping;
    try {
      mapping = Objects.requireNonNull(Uninterrupted.run(new Map(path, mapper, start, length)));
    } catch (IOException e) {
      throw new NotMappedException(e);
    }
    Window[] more = Arrays.copyOf(windows, windows.length + 1);
    more[windows.length] = new Window(start, start + length, mapping);
    windows = more;
  }

  /** Maps a part of a file on a channel of its own. */
  private record Map(Path path, Mapper mapper, long start, long length)
      implements Uninterrupted.Call<Mapping> {
    @Override
    public Mapping call() throws IOException {
      try (FileChannel channel =
          FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE)) {
        return mapper.map(channel, MapMode.READ_WRITE, start, length);
      }
    }
  }

  /** Appends a hole for a window to the file, and returns its length. */
  private long grow(long start) throws IOException {
    long length = Math.max(USUAL_WINDOW, Math.min(LARGEST_WINDOW, start));
    while (true) {
      try {
        file.setLength(start + length);
        return length;
      } catch (IOException e) {
        if (length == BLOCK) {
          throw e;
        }
        length = length > LAST_RESORT ? LAST_RESORT : BLOCK;
      } finally {
        sizeUnsynced = true; // after the growth: a sync meanwhile may have synced the old size
      }
    }
  }

  @Override
  public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, source.capacity());
    if (position < 0 || length > reserved - position) {
      throw new IllegalArgumentException(
          "store of " + length + " bytes at " + position + " with " + reserved + " reserved");
    }
    Window window = current;
    if (window != null && position >= window.start && position + length <= window.end) {
      store(window, position, source, offset, length);
    } else {
      storeAcross(position, source, offset, length);
    }
  }

  private void storeAcross(long position, ByteBuffer source, int offset, int length)
      throws IOException {
    long at = position;
    int done = 0;
    while (done < length) {
      Window window = windowAt(at);
      int count = (int) Math.min(length - done, window.end - at);
      store(window, at, source, offset + done, count);
      at += count;
      done += count;
    }
  }

  private void store(Window window, long position, ByteBuffer source, int offset, int length)
      throws IOException {
    int at = (int) (position - window.start);
    InternalError fault;
    try {
      fault = length == 0 ? null : copy(source, offset, window.mapping.buffer(), at, length);
    } catch (InternalError e) {
      fault = e; // that of a second access, thrown on the way to the handler of the first
    }
    if (fault != null) {
      throw new IOException(
          "cannot store " + length + " bytes at " + position + " of " + path, fault);
    }
  }

  /**
   * Copies at least one byte into the log; returns null, or the error if a page could not be
   * stored.
   */
  private @Nullable InternalError copy(
      ByteBuffer source, int from, ByteBuffer into, int at, int length) {
    try {
      int last = at + length - 1;
      byte expected = source.get(from + length - 1);
      if (expected == 0) {
        into.put(last, MARK);
        VarHandle.releaseFence();
        if (into.get(last) != MARK) {
          return pendingFault.absorbAll(null);
        }
      }
      into.put(at, source, from, length);
      VarHandle.releaseFence();
      return into.get(last) == expected ? null : pendingFault.absorbAll(null);
    } catch (InternalError e) {
      return pendingFault.absorbAll(e);
    }
  }

  /** Returns the window of {@code position}, which is below {@link #reserved}. */
  private Window windowAt(long position) throws IOException {
    Window[] all = windows;
    for (int i = all.length - 1; i >= 0; i--) {
      if (position >= all[i].start && position < all[i].end) {
        current = all[i];
        return all[i];
      }
    }
    throw new IOException("closed: " + path);
  }

  @Override
  public void sync(long from, long to) throws IOException {
    if (from < 0 || from > to || to > reserved) {
      throw new IllegalArgumentException("sync of " + from + " to " + to);
    }
    checkOpen();
    boolean descriptor = sizeUnsynced || descriptorSync.completesForce();
    if (!descriptor || !descriptorSync.coversMappedPages()) {
      forceMapped(from, to);
    }
    if (descriptor) {
      sizeUnsynced = false;
      descriptorSync.sync(path, file);
    }
  }

  private void forceMapped(long from, long to) throws IOException {
    for (Window window : windows) {
      long first = Math.max(from, window.start);
      long end = Math.min(to, window.end);
      if (first < end) {
        force(window, first, end);
      }
    }
  }

  private void force(Window window, long from, long to) throws IOException {
    try {
      window.mapping.buffer().force((int) (from - window.start), (int) (to - from));
    } catch (java.io.UncheckedIOException e) {
      throw e.getCause();
    } catch (InternalError e) {
      throw new IOException("cannot sync " + path, e);
    }
  }

  @Override
  public void cut(long length) throws IOException {
    reserving.lock();
    try {
      checkOpen();
      if (length < 0 || length > reserved) {
        throw new IllegalArgumentException("cut at " + length + " of " + reserved);
      }
      unmapAll();
      reserved = 0;
      file.setLength(length);
      sizeUnsynced = true;
    } finally {
      reserving.unlock();
    }
  }

  private void unmapAll() {
    current = null;
    Window[] all = windows;
    windows = new Window[0];
    for (Window window : all) {
      window.mapping.unmap();
    }
  }

  @Override
  public void close() throws IOException {
    reserving.lock();
    try {
      if (!closed) {
        closed = true;
        unmapAll();
        file.close();
      }
    } finally {
      reserving.unlock();
    }
  }

  private void checkOpen() throws IOException {
    if (closed) {
      throw new IOException("closed: " + path);
    }
  }

  private record Window(long start, long end, Mapping mapping) {}
}

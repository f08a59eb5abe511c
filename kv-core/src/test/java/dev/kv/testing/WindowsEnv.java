package dev.kv.testing;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingMappedLogFile;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;

/**
 * An environment with the rules of Windows: a file that is open or mapped can be neither deleted
 * nor renamed nor replaced, and a mapped file cannot be truncated. Directories cannot be synced,
 * which passes in silence. {@link #refused} lists the operations that were refused.
 */
public final class WindowsEnv extends ForwardingEnv {
  private final Map<Path, Integer> open = new ConcurrentHashMap<>();
  private final Map<Path, Integer> mapped = new ConcurrentHashMap<>();
  private final List<String> refused = new CopyOnWriteArrayList<>();

  public WindowsEnv(Env target) {
    super(target);
  }

  /** Returns the operations that were refused, such as {@code delete 000003.log}. */
  public List<String> refused() {
    return List.copyOf(refused);
  }

  private static Path key(Path file) {
    return file.toAbsolutePath().normalize();
  }

  private void requireUnused(Map<Path, Integer> uses, String operation, Path file)
      throws FileSystemException {
    if (uses.containsKey(key(file))) {
      refused.add(operation + " " + file.getFileName());
      throw new FileSystemException(
          file.toString(), null, "it is being used by another process: no " + operation);
    }
  }

  /** Counts a use of a file until it is ended, once. */
  private final class Use {
    private final Map<Path, Integer> uses;
    private final Path file;
    private boolean ended;

    Use(Map<Path, Integer> uses, Path file) {
      this.uses = uses;
      this.file = key(file);
      uses.merge(this.file, 1, Integer::sum);
    }

    synchronized void end() {
      if (!ended) {
        ended = true;
        uses.computeIfPresent(file, (path, count) -> count == 1 ? null : count - 1);
      }
    }
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    SequentialFile opened = super.openSequential(file);
    Use use = new Use(open, file);
    return new ForwardingSequentialFile(opened) {
      @Override
      public void close() throws IOException {
        super.close();
        use.end();
      }
    };
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    RandomAccessFile opened = super.openRandomAccess(file, map);
    Use opening = new Use(open, file);
    Use mapping = opened.mappedBytes() > 0 ? new Use(mapped, file) : null;
    return new ForwardingRandomAccessFile(opened) {
      @Override
      public void close() throws IOException {
        super.close();
        opening.end();
        if (mapping != null) {
          mapping.end();
        }
      }
    };
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    requireUnused(mapped, "truncate", file);
    return counted(file, super.createWritable(file));
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    return counted(file, super.openAppendable(file));
  }

  private WritableFile counted(Path file, WritableFile opened) {
    Use use = new Use(open, file);
    return new ForwardingWritableFile(opened) {
      @Override
      public void close() throws IOException {
        try {
          super.close();
        } finally {
          use.end();
        }
      }
    };
  }

  @Override
  public @Nullable MappedLogFile createMappedLog(Path file) throws IOException {
    requireUnused(mapped, "truncate", file);
    MappedLogFile opened = super.createMappedLog(file);
    if (opened == null) {
      return null;
    }
    Use opening = new Use(open, file);
    Use mapping = new Use(mapped, file);
    return new ForwardingMappedLogFile(opened) {
      @Override
      public void cut(long length) throws IOException {
        mapping.end();
        requireUnused(mapped, "truncate", file);
        super.cut(length);
      }

      @Override
      public void close() throws IOException {
        super.close();
        opening.end();
        mapping.end();
      }
    };
  }

  @Override
  public void delete(Path file) throws IOException {
    requireUnused(open, "delete", file);
    super.delete(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    requireUnused(open, "rename", from);
    requireUnused(open, "replace", to);
    super.rename(from, to);
  }

  @Override
  public void syncDirectory(Path directory) {}
}

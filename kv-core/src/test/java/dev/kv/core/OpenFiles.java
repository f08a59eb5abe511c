package dev.kv.core;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.RandomAccessFile;
import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** An environment that counts the random access files which are open at the same time. */
public final class OpenFiles extends ForwardingEnv {
  private final Predicate<Path> counted;
  private final AtomicInteger open = new AtomicInteger();
  private final AtomicInteger most = new AtomicInteger();

  /** Creates an environment over {@code target} that counts the files that match. */
  public OpenFiles(Env target, Predicate<Path> counted) {
    super(target);
    this.counted = counted;
  }

  @Override
  public RandomAccessFile openRandomAccess(Path path, boolean map) throws IOException {
    RandomAccessFile file = super.openRandomAccess(path, map);
    if (!counted.test(path)) {
      return file;
    }
    most.accumulateAndGet(open.incrementAndGet(), Math::max);
    return new ForwardingRandomAccessFile(file) {
      @Override
      public void close() throws IOException {
        open.decrementAndGet();
        super.close();
      }
    };
  }

  /** Returns how many files are open now. */
  public int open() {
    return open.get();
  }

  /** Returns how many were open at the same time, at most, since {@link #forget}. */
  public int most() {
    return most.get();
  }

  /** Forgets how many were open. */
  public void forget() {
    most.set(0);
  }
}

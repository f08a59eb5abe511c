package dev.kv.core;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.SequentialFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** An environment whose sequential files give a few bytes at a time. */
public final class ShortReads extends ForwardingEnv {
  private final int most;

  /**
   * Creates an environment over {@code target} in which a read gives at most {@code most} bytes.
   */
  public ShortReads(Env target, int most) {
    super(target);
    this.most = most;
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    return new ForwardingSequentialFile(super.openSequential(file)) {
      @Override
      public int read(ByteBuffer into) throws IOException {
        int limit = into.limit();
        into.limit(Math.min(limit, into.position() + most));
        try {
          return super.read(into);
        } finally {
          into.limit(limit);
        }
      }
    };
  }
}

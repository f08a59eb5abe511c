package dev.kv.core.event;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** An environment whose files cannot be created, or cannot be written. */
final class UnwritableEnv extends ForwardingEnv {
  boolean failsAtCreation = true;
  boolean failsAtClose;
  int appends;
  int closes;

  UnwritableEnv(Env target) {
    super(target);
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    if (failsAtCreation) {
      throw new IOException("simulated");
    }
    return new ForwardingWritableFile(super.createWritable(file)) {
      @Override
      public void append(ByteBuffer bytes) throws IOException {
        appends++;
        throw new IOException("simulated");
      }

      @Override
      public void close() throws IOException {
        closes++;
        super.close();
        if (failsAtClose) {
          throw new IOException("simulated at the close");
        }
      }
    };
  }
}

package dev.kv.testing;

import dev.kv.env.ForwardingMappedLogFile;
import dev.kv.env.ForwardingRandomAccessFile;
import dev.kv.env.ForwardingSequentialFile;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.MappedLogFile;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.SequentialFile;
import dev.kv.env.WritableFile;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The files of a {@link FaultEnv}. A close that must fail closes the file, and then throws. */
final class FaultFiles {
  private static final int SECTOR = 512;

  private FaultFiles() {}

  private static void close(FaultEnv env, Path path, AutoCloseable target) throws IOException {
    Fault fault = env.next(Kind.CLOSE, path);
    try {
      target.close();
    } catch (IOException | RuntimeException e) {
      throw e;
    } catch (Exception e) {
      throw new IOException(e);
    }
    if (fault != null) {
      throw FaultEnv.exception(fault, Kind.CLOSE, path);
    }
  }

  /** Returns how many of {@code length} bytes at {@code position} a failing write writes. */
  private static int written(Fault fault, long position, int length) {
    return switch (fault) {
      case SHORT -> length / 2;
      case TORN -> (int) Math.max(0, (position + length) / SECTOR * SECTOR - position);
      default -> 0;
    };
  }

  /** A file that is read sequentially. */
  static final class Sequential extends ForwardingSequentialFile {
    private final FaultEnv env;
    private final Path path;

    Sequential(FaultEnv env, Path path, SequentialFile target) {
      super(target);
      this.env = env;
      this.path = path;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      Fault fault = env.next(Kind.READ, path);
      if (fault == Fault.SHORT && into.remaining() > 1) {
        int limit = into.limit();
        int count = super.read(into.limit(into.position() + 1));
        into.limit(limit);
        return count;
      }
      if (fault != null) {
        throw FaultEnv.exception(fault, Kind.READ, path);
      }
      return super.read(into);
    }

    @Override
    public void skip(long count) throws IOException {
      env.check(Kind.READ, path);
      super.skip(count);
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, super::close);
    }
  }

  /** A file that is read at any position. */
  static final class Random extends ForwardingRandomAccessFile {
    private final FaultEnv env;
    private final Path path;

    Random(FaultEnv env, Path path, RandomAccessFile target) {
      super(target);
      this.env = env;
      this.path = path;
    }

    @Override
    public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
      env.check(Kind.READ, path);
      return super.read(position, into, offset, length);
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, super::close);
    }
  }

  /** A file that is appended to. */
  static final class Writable extends ForwardingWritableFile {
    private final FaultEnv env;
    private final Path path;

    Writable(FaultEnv env, Path path, WritableFile target) {
      super(target);
      this.env = env;
      this.path = path;
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      Fault fault = env.next(Kind.WRITE, path);
      if (fault == null) {
        super.append(bytes);
        return;
      }
      int limit = bytes.limit();
      int count = written(fault, length(), bytes.remaining());
      super.append(bytes.limit(bytes.position() + count));
      bytes.limit(limit);
      super.flush();
      throw FaultEnv.exception(fault, Kind.WRITE, path);
    }

    @Override
    public void flush() throws IOException {
      env.check(Kind.WRITE, path);
      super.flush();
    }

    @Override
    public void sync() throws IOException {
      env.check(Kind.SYNC, path);
      super.sync();
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, super::close);
    }
  }

  /** A mapped log. */
  static final class MappedLog extends ForwardingMappedLogFile {
    private final FaultEnv env;
    private final Path path;

    MappedLog(FaultEnv env, Path path, MappedLogFile target) {
      super(target);
      this.env = env;
      this.path = path;
    }

    @Override
    public void reserve(long end) throws IOException {
      env.check(Kind.RESERVE, path);
      super.reserve(end);
    }

    @Override
    public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
      Fault fault = env.next(Kind.STORE, path);
      if (fault == null) {
        super.store(position, source, offset, length);
        return;
      }
      boolean atOnce = fault == Fault.SHORT && length <= Integer.BYTES;
      super.store(position, source, offset, atOnce ? 0 : written(fault, position, length));
      throw FaultEnv.exception(fault, Kind.STORE, path);
    }

    @Override
    public void sync(long from, long to) throws IOException {
      env.check(Kind.SYNC, path);
      super.sync(from, to);
    }

    @Override
    public void cut(long length) throws IOException {
      env.check(Kind.CUT, path);
      super.cut(length);
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, super::close);
    }
  }
}

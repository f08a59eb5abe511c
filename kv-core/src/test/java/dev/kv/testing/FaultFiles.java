package dev.kv.testing;

import dev.kv.MappedLogFile;
import dev.kv.RandomAccessFile;
import dev.kv.SequentialFile;
import dev.kv.WritableFile;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/** The files of a {@link FaultEnv}. A close that is to fail closes, and throws then. */
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

  /** Returns how many of {@code length} bytes at {@code position} a write that fails so writes. */
  private static int written(Fault fault, long position, int length) {
    return switch (fault) {
      case SHORT -> length / 2;
      case TORN -> (int) Math.max(0, (position + length) / SECTOR * SECTOR - position);
      default -> 0;
    };
  }

  /** A file read from its beginning. */
  static final class Sequential implements SequentialFile {
    private final FaultEnv env;
    private final Path path;
    private final SequentialFile target;

    Sequential(FaultEnv env, Path path, SequentialFile target) {
      this.env = env;
      this.path = path;
      this.target = target;
    }

    @Override
    public int read(ByteBuffer into) throws IOException {
      Fault fault = env.next(Kind.READ, path);
      if (fault == Fault.SHORT && into.remaining() > 1) {
        int limit = into.limit();
        int count = target.read(into.limit(into.position() + 1));
        into.limit(limit);
        return count;
      }
      if (fault != null) {
        throw FaultEnv.exception(fault, Kind.READ, path);
      }
      return target.read(into);
    }

    @Override
    public void skip(long count) throws IOException {
      env.check(Kind.READ, path);
      target.skip(count);
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, target);
    }
  }

  /** A file read at positions. */
  static final class Random implements RandomAccessFile {
    private final FaultEnv env;
    private final Path path;
    private final RandomAccessFile target;

    Random(FaultEnv env, Path path, RandomAccessFile target) {
      this.env = env;
      this.path = path;
      this.target = target;
    }

    @Override
    public int read(long position, ByteBuffer into, int offset, int length) throws IOException {
      env.check(Kind.READ, path);
      return target.read(position, into, offset, length);
    }

    @Override
    public long size() {
      return target.size();
    }

    @Override
    public long mappedBytes() {
      return target.mappedBytes();
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, target);
    }
  }

  /** A file written at its end. */
  static final class Writable implements WritableFile {
    private final FaultEnv env;
    private final Path path;
    private final WritableFile target;

    Writable(FaultEnv env, Path path, WritableFile target) {
      this.env = env;
      this.path = path;
      this.target = target;
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      Fault fault = env.next(Kind.WRITE, path);
      if (fault == null) {
        target.append(bytes);
        return;
      }
      int limit = bytes.limit();
      int count = written(fault, target.length(), bytes.remaining());
      target.append(bytes.limit(bytes.position() + count));
      bytes.limit(limit);
      target.flush();
      throw FaultEnv.exception(fault, Kind.WRITE, path);
    }

    @Override
    public void flush() throws IOException {
      env.check(Kind.WRITE, path);
      target.flush();
    }

    @Override
    public void sync() throws IOException {
      env.check(Kind.SYNC, path);
      target.sync();
    }

    @Override
    public long length() {
      return target.length();
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, target);
    }
  }

  /** A log written by stores. */
  static final class MappedLog implements MappedLogFile {
    private final FaultEnv env;
    private final Path path;
    private final MappedLogFile target;

    MappedLog(FaultEnv env, Path path, MappedLogFile target) {
      this.env = env;
      this.path = path;
      this.target = target;
    }

    @Override
    public long reserved() {
      return target.reserved();
    }

    @Override
    public void reserve(long end) throws IOException {
      env.check(Kind.RESERVE, path);
      target.reserve(end);
    }

    @Override
    public void store(long position, ByteBuffer source, int offset, int length) throws IOException {
      Fault fault = env.next(Kind.STORE, path);
      if (fault == null) {
        target.store(position, source, offset, length);
        return;
      }
      target.store(position, source, offset, written(fault, position, length));
      throw FaultEnv.exception(fault, Kind.STORE, path);
    }

    @Override
    public void sync(long from, long to) throws IOException {
      env.check(Kind.SYNC, path);
      target.sync(from, to);
    }

    @Override
    public void cut(long length) throws IOException {
      env.check(Kind.CUT, path);
      target.cut(length);
    }

    @Override
    public void close() throws IOException {
      FaultFiles.close(env, path, target);
    }
  }
}

package dev.kv.env;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/** An environment that forwards every call to another one. Extend it to change a few methods. */
public class ForwardingEnv implements Env {
  private final Env target;

  /**
   * Creates the wrapper.
   *
   * @param target the environment that gets the calls
   */
  public ForwardingEnv(Env target) {
    this.target = Objects.requireNonNull(target, "target");
  }

  /**
   * Returns the environment that gets the calls.
   *
   * @return the environment
   */
  protected final Env target() {
    return target;
  }

  @Override
  public SequentialFile openSequential(Path file) throws IOException {
    return target.openSequential(file);
  }

  @Override
  public RandomAccessFile openRandomAccess(Path file, boolean map) throws IOException {
    return target.openRandomAccess(file, map);
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    return target.createWritable(file);
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    return target.openAppendable(file);
  }

  @Override
  public @Nullable MappedLogFile createMappedLog(Path file) throws IOException {
    return target.createMappedLog(file);
  }

  @Override
  public boolean exists(Path file) throws IOException {
    return target.exists(file);
  }

  @Override
  public List<String> list(Path directory) throws IOException {
    return target.list(directory);
  }

  @Override
  public void delete(Path file) throws IOException {
    target.delete(file);
  }

  @Override
  public void createDirectory(Path directory) throws IOException {
    target.createDirectory(directory);
  }

  @Override
  public void deleteDirectory(Path directory) throws IOException {
    target.deleteDirectory(directory);
  }

  @Override
  public long size(Path file) throws IOException {
    return target.size(file);
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    target.rename(from, to);
  }

  @Override
  public boolean link(Path existing, Path link) throws IOException {
    return target.link(existing, link);
  }

  @Override
  public boolean isSymbolicLink(Path path) throws IOException {
    return target.isSymbolicLink(path);
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    target.syncDirectory(directory);
  }

  @Override
  public @Nullable Lock lock(Path file) throws IOException {
    return target.lock(file);
  }

  @Override
  public long nowMicros() {
    return target.nowMicros();
  }

  @Override
  public void sleepMicros(long micros) {
    target.sleepMicros(micros);
  }

  @Override
  public Thread startThread(String name, Runnable task) {
    return target.startThread(name, task);
  }
}

package dev.kv.core.manifest;

import dev.kv.env.Env;
import dev.kv.env.ForwardingEnv;
import dev.kv.env.ForwardingWritableFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Writes down every operation that changes the disk, and makes one of them fail on demand. */
public final class RecordingEnv extends ForwardingEnv {
  /** What the failing operation throws. */
  public static final String FAULT = "injected fault";

  private final List<String> operations = new ArrayList<>();
  private int failAt = -1;
  private boolean halfDone;
  private Runnable listener = () -> {};

  public RecordingEnv(Env target) {
    super(target);
  }

  public List<String> operations() {
    return operations;
  }

  /** Starts the count over; the operation of that index, from 0, fails. */
  public void failAt(int index, boolean afterItsEffect) {
    operations.clear();
    failAt = index;
    halfDone = afterItsEffect;
  }

  /** Calls {@code listener} before each operation. */
  public void onEach(Runnable listener) {
    this.listener = listener;
  }

  private interface Action {
    void run() throws IOException;
  }

  private void act(String operation, Action action) throws IOException {
    boolean fails = operations.size() == failAt;
    operations.add(operation);
    listener.run();
    if (!fails || halfDone) {
      action.run();
    }
    if (fails) {
      throw new IOException(FAULT + ": " + operation);
    }
  }

  private interface Open {
    WritableFile open() throws IOException;
  }

  /** Opens a file; one whose open fails after its effect is closed, as the system would do. */
  private WritableFile open(String operation, Path file, Open open) throws IOException {
    WritableFile[] opened = new WritableFile[1];
    try {
      act(operation + " " + file.getFileName(), () -> opened[0] = open.open());
    } catch (IOException e) {
      if (opened[0] != null) {
        opened[0].close();
      }
      throw e;
    }
    return new RecordingFile(file.getFileName().toString(), opened[0]);
  }

  @Override
  public WritableFile createWritable(Path file) throws IOException {
    return open("create", file, () -> super.createWritable(file));
  }

  @Override
  public WritableFile openAppendable(Path file) throws IOException {
    return open("reopen", file, () -> super.openAppendable(file));
  }

  @Override
  public void delete(Path file) throws IOException {
    act("delete " + file.getFileName(), () -> super.delete(file));
  }

  @Override
  public void rename(Path from, Path to) throws IOException {
    act("rename " + from.getFileName() + " to " + to.getFileName(), () -> super.rename(from, to));
  }

  @Override
  public void syncDirectory(Path directory) throws IOException {
    act("sync directory", () -> super.syncDirectory(directory));
  }

  private final class RecordingFile extends ForwardingWritableFile {
    private final String name;

    RecordingFile(String name, WritableFile target) {
      super(target);
      this.name = name;
    }

    @Override
    public void append(ByteBuffer bytes) throws IOException {
      act("append " + name, () -> super.append(bytes));
    }

    @Override
    public void sync() throws IOException {
      act("sync " + name, super::sync);
    }
  }
}

package dev.kv.core.checkpoint;

import dev.kv.admin.LiveFiles;
import dev.kv.core.logging.EngineLogger;
import dev.kv.env.Env;
import dev.kv.env.RandomAccessFile;
import dev.kv.env.WritableFile;
import dev.kv.errors.CorruptionException;
import dev.kv.errors.DBIOException;
import dev.kv.errors.DatabaseExistsException;
import dev.kv.file.NewDirectory;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Path;
import java.util.function.Supplier;

/**
 * Writes a checkpoint: links or copies the files of one moment into a new directory. Used once, by
 * one thread.
 *
 * <pre>
 * 1. begin the new directory, which takes a lock beside the target
 * 2. capture the files
 * 3. link the tables, or copy and sync them; copy and sync the logs, the MANIFEST and CURRENT
 * 4. sync the directory, rename it to the target, sync the target's parent
 * </pre>
 *
 * A table that is linked is durable already: it was synced before the edit that names it, and that
 * edit is durable, too. So its number never comes back, and no later table is written into the
 * bytes that the checkpoint shares. Until 4 the target does not exist.
 */
public final class Checkpoint {
  private static final EngineLogger LOG = EngineLogger.of(Checkpoint.class);

  private static final int BUFFER_BYTES = 256 << 10;

  private final Env env;
  private final Path target;
  private final ByteBuffer buffer = ByteBuffer.allocate(BUFFER_BYTES);
  private boolean links = true;
  private int linked;
  private long copiedBytes;

  private Checkpoint(Env env, Path target) {
    this.env = env;
    this.target = target;
  }

  /**
   * Writes a checkpoint and returns its sequence number.
   *
   * @param capture returns the files, when the directory has begun
   */
  public static long write(Env env, Path target, Supplier<LiveFiles> capture) {
    try {
      return new Checkpoint(env, target).run(capture);
    } catch (IOException e) {
      throw new DBIOException("cannot write a checkpoint to " + target + ": " + e, e);
    }
  }

  private long run(Supplier<LiveFiles> capture) throws IOException {
    long start = System.nanoTime();
    try (NewDirectory made = begin();
        LiveFiles files = capture.get()) {
      for (LiveFiles.File file : files.files()) {
        add(file, made.path().resolve(file.name()));
      }
      made.publish();
      LOG.info(
          "checkpoint {} of sequence {}: {} tables linked, {} bytes copied, in {} ms",
          target,
          files.sequence(),
          linked,
          copiedBytes,
          (System.nanoTime() - start) / 1_000_000);
      return files.sequence();
    }
  }

  private NewDirectory begin() throws IOException {
    try {
      return NewDirectory.begin(env, target);
    } catch (FileAlreadyExistsException e) {
      throw new DatabaseExistsException(
          "no checkpoint is written to " + target + ", which exists already: name a new directory",
          target.toString(),
          e);
    }
  }

  private void add(LiveFiles.File file, Path path) throws IOException {
    if (links && file.isTable() && file instanceof FilePrefix table && table.env() == env) {
      links = env.link(table.path(), path);
      if (links) {
        linked++;
        return;
      }
    }
    copy(file, path);
  }

  private void copy(LiveFiles.File file, Path path) throws IOException {
    try (RandomAccessFile in = file.open();
        WritableFile out = env.createWritable(path)) {
      long done = 0;
      while (done < file.size()) {
        int length = (int) Math.min(BUFFER_BYTES, file.size() - done);
        int count = in.read(done, buffer.clear(), 0, length);
        if (count <= 0) {
          throw new CorruptionException(
              "the file has fewer than its " + file.size() + " bytes", file.name(), done);
        }
        out.append(buffer.position(0).limit(count));
        done += count;
      }
      out.sync();
      copiedBytes += done;
    }
  }
}

package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import dev.kv.jmh.workload.ValueGenerator;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.util.Locale;
import org.xerial.snappy.Snappy;

/**
 * Compresses or uncompresses a block of 4 KiB of values.
 *
 * @param compressionRatio the compressed size of the block as a fraction of its size
 * @param bytes the number of uncompressed bytes in all
 * @param uncompress true to uncompress
 */
record SnappyTask(double compressionRatio, long bytes, boolean uncompress) implements Task {
  private static final int BLOCK = 4096;

  @Override
  public void run(BenchThread thread) {
    byte[] data = new byte[BLOCK];
    new ValueGenerator(compressionRatio).next(data);
    ByteBuffer plain = ByteBuffer.allocateDirect(BLOCK).put(data).flip();
    ByteBuffer packed = ByteBuffer.allocateDirect(Snappy.maxCompressedLength(BLOCK));
    try {
      int length = Snappy.compress(plain, packed);
      thread.restart();
      for (long done = 0; done < bytes; done += BLOCK) {
        if (uncompress) {
          Snappy.uncompress(packed.limit(length).position(0), plain.clear());
        } else {
          Snappy.compress(plain.rewind(), packed.clear());
        }
        thread.meter().addBytes(BLOCK);
        thread.meter().tick();
      }
      thread.say(
          uncompress ? "" : String.format(Locale.ROOT, "(output: %.1f%%)", 100.0 * length / BLOCK));
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }
}

package dev.kv.jmh.task;

import dev.kv.jmh.run.BenchThread;
import dev.kv.jmh.run.Task;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.zip.CRC32C;

/**
 * Computes checksums of 4 KiB.
 *
 * @param bytes the number of bytes in all
 */
record Crc32cTask(long bytes) implements Task {
  private static final int BLOCK = 4096;

  @Override
  public void run(BenchThread thread) {
    byte[] letters = new byte[BLOCK];
    Arrays.fill(letters, (byte) 'x');
    ByteBuffer block = ByteBuffer.allocateDirect(BLOCK).put(letters).flip();
    CRC32C crc = new CRC32C();
    thread.restart();
    for (long done = 0; done < bytes; done += BLOCK) {
      crc.reset();
      crc.update(block.rewind());
      thread.meter().consume(crc.getValue());
      thread.meter().addBytes(BLOCK);
      thread.meter().tick();
    }
    thread.say("(4K per op)");
  }
}

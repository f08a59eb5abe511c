package dev.kv.core.table.cache;

import static org.openjdk.jcstress.annotations.Expect.ACCEPTABLE;
import static org.openjdk.jcstress.annotations.Expect.FORBIDDEN;

import dev.kv.core.cache.LruCache;
import java.nio.ByteBuffer;
import org.openjdk.jcstress.annotations.Actor;
import org.openjdk.jcstress.annotations.JCStressTest;
import org.openjdk.jcstress.annotations.Outcome;
import org.openjdk.jcstress.annotations.State;
import org.openjdk.jcstress.infra.results.I_Result;

/** A block whose memory is used again after its place was removed, and read without a pin. */
@JCStressTest
@Outcome(id = "7", expect = ACCEPTABLE, desc = "read, and confirmed")
@Outcome(id = "0", expect = ACCEPTABLE, desc = "not there, or not confirmed")
@Outcome(id = "-7", expect = FORBIDDEN, desc = "overwritten, and confirmed")
@State
public class IndexedBlocksStress {
  private static final int NUMBER = 7;
  private static final int OVERWRITTEN = -7;

  private final ByteBuffer memory = ByteBuffer.allocateDirect(Integer.BYTES).putInt(0, NUMBER);
  private final IndexedBlocks places = new IndexedBlocks(new LruCache<>(1, 0), 1, 1);

  /** Creates a block that has a place. */
  public IndexedBlocksStress() {
    places.add(0, 0, memory, 0, Integer.BYTES);
  }

  /** Removes the place and uses the memory again; another copy of the block gets the place. */
  @Actor
  public void owner() {
    places.remove(0);
    memory.putInt(0, OVERWRITTEN);
    places.add(0, 0, memory, 0, Integer.BYTES);
  }

  /** Reads the block without a pin. */
  @Actor
  public void reader(I_Result result) {
    long stamp = places.stamp(0);
    ByteBuffer found = places.memory(0);
    int number = stamp == 0 || found == null ? 0 : found.getInt(0);
    result.r1 = stamp <= 1 && places.isStill(0, stamp) ? number : 0;
  }
}

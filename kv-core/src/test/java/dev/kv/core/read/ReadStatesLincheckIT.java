package dev.kv.core.read;

import dev.kv.bytes.DBComparator;
import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.ArenaPool;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.core.memory.Stripes;
import dev.kv.core.memtable.MemTable;
import dev.kv.core.version.Version;
import dev.kv.errors.DBClosedException;
import java.util.List;
import org.jetbrains.lincheck.datastructures.ModelCheckingOptions;
import org.jetbrains.lincheck.datastructures.Operation;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Pins of read states against publications and the close, in every order of their steps that a
 * model checker tries.
 */
@Tag("slow")
public class ReadStatesLincheckIT {
  private static final int SCALE = Boolean.getBoolean("kv.long") ? 10 : 1;

  /** One at the beginning, three beside reads and one after them. */
  private static final int MOST_PUBLICATIONS = 5;

  /** More than there are stripes to look through: the checker is not to take that for waiting. */
  private static final int LOOPS = 200;

  private final InternalKeyComparator order = new InternalKeyComparator(DBComparator.bytewise());
  private final ArenaPool arenas = new ArenaPool(new OffHeapBudget(0));
  private final ReadStates states = new ReadStates();

  /**
   * Made before the run: the making of a memtable has many steps, and their orders are not the
   * question.
   */
  private final MemTable[] memtables = new MemTable[MOST_PUBLICATIONS];

  private int published;

  public ReadStatesLincheckIT() {
    for (int i = 0; i < MOST_PUBLICATIONS; i++) {
      memtables[i] = new MemTable(order, arenas.acquire(256), arenas);
    }
    publish();
  }

  @Operation(nonParallelGroup = "writer")
  public int publish() {
    MemTable memtable = memtables[published];
    Version version = Version.empty(order, freed -> {});
    states.publish(List.of(memtable), version);
    memtable.release();
    version.release();
    return ++published;
  }

  /** Returns whether what was pinned was still held while it was pinned. */
  @Operation
  public boolean read() {
    int stripe = Stripes.current();
    ReadState state;
    try {
      state = states.acquire(stripe);
    } catch (DBClosedException e) {
      return true;
    }
    boolean held = state.memTable(0).references() > 0 && state.version().references() > 0;
    state.unpin(stripe);
    return held;
  }

  @Operation(nonParallelGroup = "writer", runOnce = true)
  public void close() {
    states.close();
  }

  @Test
  void states_pinnedPublishedAndClosed_areHeldWhilePinned() {
    new ModelCheckingOptions()
        .iterations(4 * SCALE)
        .invocationsPerIteration(200 * SCALE)
        .threads(2)
        .actorsBefore(0)
        .actorsPerThread(3)
        .actorsAfter(1)
        .loopIterationsBeforeThreadSwitch(LOOPS)
        .loopBound(2 * LOOPS)
        .check(ReadStatesLincheckIT.class);
  }
}

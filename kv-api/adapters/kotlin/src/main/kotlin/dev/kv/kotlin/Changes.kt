package dev.kv.kotlin

import dev.kv.change.ChangeGroup
import dev.kv.change.ChangeOptions
import dev.kv.change.ChangePosition
import dev.kv.DB
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.runInterruptible

/**
 * Returns the changes after a position as a cold flow: those in kept logs, then new ones as they
 * are written. It never completes. Each collection is a reader of its own, which is closed when the
 * collection fails or is cancelled. While it waits, it blocks a thread of its own, and none of the
 * collector or of `Dispatchers.IO`.
 *
 * @param after the position, such as that of the last group that was applied
 * @param options which groups are delivered
 * @return the flow; it throws `ChangesLostException` if the changes are not complete any more, and
 *   `DBClosedException` when the database is closed
 */
public fun DB.changeFlow(
    after: ChangePosition,
    options: ChangeOptions = ChangeOptions.DEFAULT,
): Flow<ChangeGroup> = flow {
    // A view of Dispatchers.IO has threads besides the 64 of Dispatchers.IO itself
    val waiting = Dispatchers.IO.limitedParallelism(1)
    changes().open(options, after).use { changes ->
        while (true) emit(changes.poll() ?: runInterruptible(waiting) { changes.take() })
    }
}

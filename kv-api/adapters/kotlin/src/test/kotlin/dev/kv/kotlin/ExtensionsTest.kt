package dev.kv.kotlin

import dev.kv.change.ChangeOptions
import dev.kv.change.ChangePosition
import dev.kv.DB
import dev.kv.options.LogRetention
import dev.kv.Options
import dev.kv.ReadOptions
import dev.kv.WriteOptions
import dev.kv.env.Env
import dev.kv.tuple.TupleBuilder
import dev.kv.tuple.Tuples
import java.nio.file.Path
import kotlin.time.Duration
import kotlinx.coroutines.Dispatchers
import kotlinx.coroutines.cancelAndJoin
import kotlinx.coroutines.CompletableDeferred
import kotlinx.coroutines.channels.Channel
import kotlinx.coroutines.delay
import kotlinx.coroutines.flow.first
import kotlinx.coroutines.flow.flowOn
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.launch
import kotlinx.coroutines.runBlocking
import kotlinx.coroutines.withTimeoutOrNull
import kotlinx.coroutines.yield
import org.assertj.core.api.Assertions.assertThat
import org.assertj.core.api.Assertions.assertThatThrownBy
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test

class ExtensionsTest {
    private val db: DB =
        openDB(Path.of("database")) {
            createIfMissing(true)
            env(Env.inMemory())
            logRetention(LogRetention.ofBytes(1 shl 20))
        }

    @AfterEach fun close() = db.close()

    private fun fill() = db.batch { for (name in listOf("a", "b", "c")) put(b(name), b(name + 1)) }

    @Test
    fun operators_onADatabase_readAndWrite() {
        db[b("key")] = b("value")
        assertThat(db[b("key")]).isEqualTo(b("value"))
        assertThat(b("key") in db).isTrue()
        db -= b("key")
        assertThat(db[b("key")]).isNull()
        assertThat(b("key") in db).isFalse()
    }

    @Test
    fun optionsOfAGroup_setByStatements_areAllThere() {
        val options = options {
            compaction {
                it.maxBackground(3)
                it.bytesPerSecond(4)
            }
            memory { it.offHeapLimit(5).maxMappedTables(6) }
        }
        assertThat(options.compaction().maxBackground()).isEqualTo(3)
        assertThat(options.compaction().bytesPerSecond()).isEqualTo(4)
        assertThat(options.memory().offHeapLimit()).isEqualTo(5)
        assertThat(options.memory().maxMappedTables()).isEqualTo(6)
    }

    /** Kotlin widens no Int to a Long. */
    @Test
    fun tupleBuilder_takesEachTypeOfKotlin() {
        val id = 7
        val time = 8L
        val key = TupleBuilder.create().add("order").add('x').add(id).add(time).add(1.5).toByteArray()
        assertThat(key).isEqualTo(Tuples.pack("order", "x", 7L, 8L, 1.5))
        assertThat(key).isEqualTo(Tuples.packList(listOf("order", 'x', id, time, 1.5)))
    }

    @Test
    fun batch_withOperators_isWrittenAsAWhole() {
        db[b("old")] = b("1")
        db.batch(WriteOptions.SYNC) {
            this[b("new")] = b("2")
            this -= b("old")
        }
        assertThat(db[b("new")]).isEqualTo(b("2"))
        assertThat(db[b("old")]).isNull()
    }

    @Test
    fun batch_thatThrows_writesNothing() {
        assertThatThrownBy {
            db.batch {
                put(b("key"), b("value"))
                error("no")
            }
        }
            .isInstanceOf(IllegalStateException::class.java)
        assertThat(db[b("key")]).isNull()
    }

    @Test
    fun useEntries_thatTakesTheFirst_closesTheScan() {
        fill()
        val first = db.useEntries { entries -> entries.map { (key, _) -> s(key) }.first() }
        assertThat(first).isEqualTo("a")
        val options = readOptions {
            lowerBound(b("b"))
            descending(true)
        }
        val texts = db.useEntries(options) { all -> all.map { (k, v) -> s(k) + s(v) }.toList() }
        assertThat(texts).containsExactly("cc1", "bb1")
        assertThat(db.admin().stats().views().iterators).isZero()
    }

    @Test
    fun entryFlow_collectedTwice_scansTheStateOfEachBegin(): Unit = runBlocking {
        fill()
        val keys = db.entryFlow().map { s(it.key) }.flowOn(Dispatchers.IO)
        assertThat(keys.toList()).containsExactly("a", "b", "c")
        db -= b("a")
        assertThat(keys.toList()).containsExactly("b", "c")
        assertThat(db.admin().stats().views().iterators).isZero()
    }

    @Test
    fun entryFlow_cancelledAfterTheFirst_closesTheScan(): Unit = runBlocking {
        fill()
        assertThat(s(db.entryFlow(ReadOptions.withPrefix(b("b"))).first().value)).isEqualTo("b1")
        assertThat(s(db.entryFlow().first().key)).isEqualTo("a")
        assertThat(db.admin().stats().views().iterators).isZero()
    }

    @Test
    fun changeFlow_collected_waitsForEachGroup(): Unit = runBlocking {
        val begin = db.changes().position()
        fill()
        val positions = Channel<ChangePosition>(Channel.UNLIMITED)
        val follower = launch {
            db.changeFlow(begin, ChangeOptions.UNSYNCED).collect { positions.send(it.position()) }
        }
        val first = positions.receive()
        assertThat(first.sequence()).isEqualTo(begin.sequence() + 3)
        db[b("d")] = b("d1")
        assertThat(positions.receive().sequence()).isEqualTo(begin.sequence() + 4)
        follower.cancelAndJoin() // while it waits
        assertThat(db.changeFlow(first, ChangeOptions.UNSYNCED).first().count()).isEqualTo(1)
    }

    /** `Dispatchers.IO` has 64 threads, or one for each processor if there are more. */
    @Test
    fun changeFlow_ofManyCollectorsThatWait_leavesThreadsToOthers(): Unit = runBlocking {
        val begin = db.changes().position()
        fill()
        val collectors = maxOf(64, Runtime.getRuntime().availableProcessors()) + 1
        val waiting = Channel<Unit>(Channel.UNLIMITED)
        val followers = launch {
            repeat(collectors) {
                launch {
                    db.changeFlow(begin, ChangeOptions.UNSYNCED).collect { waiting.send(Unit) }
                }
            }
        }
        repeat(collectors) { waiting.receive() }
        delay(500) // until all of them wait
        val other = CompletableDeferred<String>()
        launch(Dispatchers.IO) { other.complete("done") }
        val result = withTimeoutOrNull(10_000) { other.await() }
        followers.cancelAndJoin()
        assertThat(result).isEqualTo("done")
    }

    @Test
    fun useSnapshot_whileTheDatabaseChanges_readsTheOldState() {
        db[b("key")] = b("old")
        db.useSnapshot { before ->
            db[b("key")] = b("new")
            assertThat(db[b("key"), before]).isEqualTo(b("old"))
        }
        assertThat(db.admin().stats().views().snapshots).isZero()
    }

    @Test
    fun usePinned_inASuspendingFunction_keepsTheValue(): Unit = runBlocking {
        db[b("key")] = b("value")
        db.admin().flush()
        val last =
            db.usePinned(b("key")) { value ->
                yield()
                value.slice()[value.length() - 1]
            }
        assertThat(last).isEqualTo('e'.code.toByte())
        assertThat(db.usePinned(b("missing")) { it.length() }).isNull()
    }

    @Test
    fun statistics_ofTime_areDurations() {
        val options: Options = options { blockCacheSize(1L shl 20) }
        assertThat(options.blockCacheSize()).isEqualTo(1L shl 20)
        assertThat(db.admin().stats().writes().stalls.time).isEqualTo(Duration.ZERO)
        assertThat(db.admin().stats().levels[0].compactionTime).isEqualTo(Duration.ZERO)
    }

    private fun b(text: String) = text.encodeToByteArray()

    private fun s(bytes: ByteArray) = bytes.decodeToString()
}

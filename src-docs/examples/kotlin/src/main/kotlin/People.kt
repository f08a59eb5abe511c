package example

import dev.kv.DB
import dev.kv.DBIterator
import dev.kv.Options
import dev.kv.ReadOptions
import dev.kv.Slice
import dev.kv.Snapshot
import dev.kv.WriteBatch
import dev.kv.WriteOptions
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Path

/** What the store keeps: the name is the key, the rest is the value. */
data class Person(val name: String, val born: Int, val subject: String) {
    val key get() = name.encodeToByteArray()

    /** The year in four bytes, then the subject in UTF-8. */
    val value: ByteArray
        get() {
            val text = subject.encodeToByteArray()
            return ByteBuffer.allocate(Int.SIZE_BYTES + text.size).putInt(born).put(text).array()
        }

    companion object {
        fun of(key: ByteArray, value: ByteArray) =
            Person(
                key.decodeToString(),
                ByteBuffer.wrap(value).getInt(),
                value.decodeToString(startIndex = Int.SIZE_BYTES),
            )

        /** Reads one figure of a value where it lies. */
        fun born(value: Slice) = value.getInt(0, ByteOrder.BIG_ENDIAN)
    }
}

/** The entries from where the cursor stands, or all of them. */
fun DBIterator.asSequence(): Sequence<Map.Entry<ByteArray, ByteArray>> = asIterator().asSequence()

/** A typed store over a database: people by name. Thread-safe, as the database is. */
class People(directory: Path) : AutoCloseable {
    private val db = DB.open(directory, Options.builder().createIfMissing(true).build())

    operator fun plusAssign(person: Person) = db.put(person.key, person.value)

    /** All of them or none, and on the device when this returns. */
    fun addAll(vararg people: Person) {
        val batch = WriteBatch.create()
        people.forEach { batch.put(it.key, it.value) }
        db.write(WriteOptions.SYNC, batch)
    }

    fun remove(name: String) = db.delete(name.encodeToByteArray())

    /** The person, or null: the compiler knows that the database's get may return none. */
    operator fun get(name: String): Person? {
        val key = name.encodeToByteArray()
        return db[key]?.let { Person.of(key, it) }
    }

    /** Without a copy of the value. */
    fun yearOfBirth(name: String): Int? = db.read(name.encodeToByteArray(), Person::born)

    /** Those whose names lie in [from, to), in order. */
    fun between(from: String, to: String): List<Person> =
        list(
            ReadOptions.builder()
                .lowerBound(from.encodeToByteArray())
                .upperBound(to.encodeToByteArray())
                .build()
        )

    /** Everybody, now or when the snapshot was taken. */
    fun all(snapshot: Snapshot? = null): List<Person> =
        list(ReadOptions.builder().snapshot(snapshot).build())

    fun snapshot(): Snapshot = db.snapshot()

    private fun list(options: ReadOptions): List<Person> =
        db.iterator(options).use { cursor ->
            cursor.asSequence().map { (key, value) -> Person.of(key, value) }.toList()
        }

    override fun close() = db.close()
}

package example

import dev.kv.ReadOptions
import dev.kv.bytes.Slice
import dev.kv.Snapshot
import dev.kv.WriteOptions
import dev.kv.kotlin.batch
import dev.kv.kotlin.component1
import dev.kv.kotlin.component2
import dev.kv.kotlin.minusAssign
import dev.kv.kotlin.openDB
import dev.kv.kotlin.readOptions
import dev.kv.kotlin.set
import dev.kv.kotlin.useEntries
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Path

/** A person. The name is the key of its entry, the rest is the value. */
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

        /** Reads one field of a value, without a copy. */
        fun born(value: Slice) = value.getInt(0, ByteOrder.BIG_ENDIAN)
    }
}

/** A typed store over a database: people by name. Thread-safe, like the database. */
class People(directory: Path) : AutoCloseable {
    private val db = openDB(directory) { createIfMissing(true) }

    operator fun plusAssign(person: Person) {
        db[person.key] = person.value
    }

    /** Adds all of them or none. They are on the device when this function returns. */
    fun addAll(vararg people: Person) =
        db.batch(WriteOptions.SYNC) { for (person in people) this[person.key] = person.value }

    fun remove(name: String) {
        db -= name.encodeToByteArray()
    }

    /** Returns the person, or null if there is none. */
    operator fun get(name: String): Person? {
        val key = name.encodeToByteArray()
        return db[key]?.let { Person.of(key, it) }
    }

    /** Returns the year without a copy of the value, or null if there is no such person. */
    fun yearOfBirth(name: String): Int? = db.read(name.encodeToByteArray(), Person::born)

    /** Returns the people whose names are in [from, to), in order. */
    fun between(from: String, to: String): List<Person> =
        list(
            readOptions {
                lowerBound(from.encodeToByteArray())
                upperBound(to.encodeToByteArray())
            }
        )

    /** Returns all people, now or when the snapshot was taken. */
    fun all(snapshot: Snapshot? = null): List<Person> =
        list(readOptions { snapshot(snapshot) })

    fun snapshot(): Snapshot = db.snapshot()

    private fun list(options: ReadOptions): List<Person> =
        db.useEntries(options) { all -> all.map { (key, value) -> Person.of(key, value) }.toList() }

    override fun close() = db.close()
}

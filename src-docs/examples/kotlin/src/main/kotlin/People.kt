package example

import dev.kv.DB
import dev.kv.Options
import dev.kv.ReadOptions
import dev.kv.Slice
import dev.kv.Snapshot
import dev.kv.WriteBatch
import dev.kv.WriteOptions
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
    private val db = DB.open(directory, Options.builder().createIfMissing(true).build())

    operator fun plusAssign(person: Person) = db.put(person.key, person.value)

    /** Adds all of them or none. They are on the device when this function returns. */
    fun addAll(vararg people: Person) {
        val batch = WriteBatch.create()
        people.forEach { batch.put(it.key, it.value) }
        db.write(WriteOptions.SYNC, batch)
    }

    fun remove(name: String) = db.delete(name.encodeToByteArray())

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
            ReadOptions.builder()
                .lowerBound(from.encodeToByteArray())
                .upperBound(to.encodeToByteArray())
                .build()
        )

    /** Returns all people, now or when the snapshot was taken. */
    fun all(snapshot: Snapshot? = null): List<Person> =
        list(ReadOptions.builder().snapshot(snapshot).build())

    fun snapshot(): Snapshot = db.snapshot()

    private fun list(options: ReadOptions): List<Person> =
        db.entries(options).use { entries -> entries.map { Person.of(it.key, it.value) } }

    override fun close() = db.close()
}

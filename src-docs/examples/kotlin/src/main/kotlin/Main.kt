package example

import dev.kv.DB
import dev.kv.bytes.DBComparator
import dev.kv.Options
import dev.kv.env.Env
import dev.kv.kotlin.options
import dev.kv.kotlin.set
import dev.kv.kotlin.useEntries
import dev.kv.map.Codecs
import dev.kv.map.DBMap
import dev.kv.space.Space
import java.nio.ByteBuffer
import java.nio.file.Files
import java.nio.file.Path

private val ada = Person("Ada Lovelace", 1815, "mathematics")
private val alan = Person("Alan Turing", 1912, "logic")
private val barbara = Person("Barbara Liskov", 1939, "languages")
private val grace = Person("Grace Hopper", 1906, "compilers")

/** A tour of kv from Kotlin, which fails if a comment is wrong. */
fun main() {
    val directory = Files.createTempDirectory("kv-example")
    try {
        people(directory)
    } finally {
        DB.destroy(directory, Options.DEFAULT)
    }
    newestFirst()
    typedMap()
    println("Kotlin: everything works")
}

private fun people(directory: Path) {
    People(directory).use { people ->
        people += ada
        people.addAll(grace, alan, barbara) // a batch
        expect(ada, people["Ada Lovelace"])
        expect(null, people["Nobody"])
        expect(1912, people.yearOfBirth("Alan Turing"))
        expect(null, people.yearOfBirth("Nobody"))

        // A range of the keys, in their order
        expect(listOf(ada, alan, barbara), people.between("A", "C"))

        // A snapshot does not see what is written after it
        people.snapshot().use { before ->
            people.remove("Grace Hopper")
            expect(listOf(ada, alan, barbara), people.all())
            expect(listOf(ada, alan, barbara, grace), people.all(before))
        }
    }

    // After a close and another open, everything is there
    People(directory).use { expect(listOf(ada, alan, barbara), it.all()) }
}

/** A database in memory whose keys are numbers, the highest first. */
private fun newestFirst() {
    val options = options {
        createIfMissing(true)
        env(Env.inMemory())
        comparator(DBComparator.of("example.Descending", reverseOrder()))
    }
    DB.open(Path.of("years"), options).use { years ->
        for (person in listOf(ada, alan, grace)) {
            years[ByteBuffer.allocate(Int.SIZE_BYTES).putInt(person.born).array()] = person.key
        }
        val names = years.useEntries { all -> all.map { it.value.decodeToString() }.toList() }
        expect(listOf("Alan Turing", "Grace Hopper", "Ada Lovelace"), names)

        // A cursor jumps, and continues from there
        years.iterator().use { cursor ->
            cursor.seek(ByteBuffer.allocate(Int.SIZE_BYTES).putInt(0, 1910))
            expect("Grace Hopper", cursor.valueSlice().toUtf8String())
            expect(2, cursor.asIterator().asSequence().count())
        }
    }
}

/** A database in memory as a map. */
private fun typedMap() {
    val options = Options.builder().createIfMissing(true).env(Env.inMemory()).build()
    DB.open(Path.of("visits"), options).use { db ->
        val visits = DBMap.of(Space.of(db, "visit/"), Codecs.utf8(), Codecs.longs())
        visits["/about"] = 1L // does not read the old value
        visits.merge("/index", 1L, Long::plus)
        visits.merge("/index", 1L, Long::plus)
        expect(2L, visits["/index"])
        expect(null, visits["/none"])
        expect(listOf("/about" to 1L, "/index" to 2L), visits.map { (page, count) -> page to count })
    }
}

private fun expect(wanted: Any?, found: Any?) =
    check(wanted == found) { "expected $wanted, found $found" }

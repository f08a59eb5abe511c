package example

import dev.kv.{DB, DBComparator, Options, Slice}
import dev.kv.env.Env
import dev.kv.map.{Codecs, Maps}
import dev.kv.scaladsl.*
import dev.kv.space.Space
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
import scala.jdk.CollectionConverters.*
import scala.util.Using

private val ada = Person("Ada Lovelace", 1815, "mathematics")
private val alan = Person("Alan Turing", 1912, "logic")
private val barbara = Person("Barbara Liskov", 1939, "languages")
private val grace = Person("Grace Hopper", 1906, "compilers")

/** A tour of kv from Scala, which fails if a comment is wrong. */
@main def main(): Unit =
  val directory = Files.createTempDirectory("kv-example")
  try people(directory)
  finally DB.destroy(directory, Options.DEFAULT)
  newestFirst()
  typedMap()
  println("Scala: everything works")

private def people(directory: Path): Unit =
  Using.resource(People(directory)): people =>
    people.add(ada)
    people.addAll(grace, alan, barbara) // a batch
    expect(Some(ada), people.find("Ada Lovelace"))
    expect(None, people.find("Nobody"))
    expect(Some(1912), people.yearOfBirth("Alan Turing"))
    expect(None, people.yearOfBirth("Nobody"))

    // A range of the keys, in their order
    expect(List(ada, alan, barbara), people.between("A", "C"))

    // A snapshot does not see what is written after it
    Using.resource(people.snapshot()): before =>
      people.remove("Grace Hopper")
      expect(List(ada, alan, barbara), people.all)
      expect(List(ada, alan, barbara, grace), people.all(before))

  // After a close and another open, everything is there
  Using.resource(People(directory))(people => expect(List(ada, alan, barbara), people.all))

/** A database in memory whose keys are numbers, the highest first. */
private def newestFirst(): Unit =
  val options = Options.builder
    .createIfMissing(true)
    .env(Env.inMemory)
    .comparator(DBComparator.ofSlices("example.Descending", Ordering[Slice].reverse))
    .build
  Using.resource(DB.open(Path.of("years"), options)): years =>
    for person <- List(ada, alan, grace) do
      years(ByteBuffer.allocate(Integer.BYTES).putInt(person.born).array) = person.key
    val names = years.view().map(entry => String(entry.value)).toList
    expect(List("Alan Turing", "Grace Hopper", "Ada Lovelace"), names)

/** A database in memory as a map. Java's numbers are boxed. */
private def typedMap(): Unit =
  val options = Options.builder.createIfMissing(true).env(Env.inMemory).build
  Using.resource(DB.open(Path.of("visits"), options)): db =>
    val longs = Codecs.longs.mapped[Long](_.longValue, Long.box(_))
    val visits = Maps.of(Space.of(db, "visit/"), Codecs.utf8, longs)
    visits.set("/about", 1L) // does not read the old value
    visits.merge("/index", 1L, _ + _)
    visits.merge("/index", 1L, _ + _)
    expect(Some(2L), visits.asScala.get("/index"))
    expect(None, visits.asScala.get("/none"))
    expect(List("/about" -> 1L, "/index" -> 2L), visits.asScala.toList)

private def expect(wanted: Any, found: Any): Unit =
  assert(wanted == found, s"expected $wanted, found $found")

package example

import dev.kv.bytes.{DBComparator, Slice}
import dev.kv.{DB, Options}
import dev.kv.env.Env
import dev.kv.map.KeyCodec
import dev.kv.scaladsl.{*, given}
import dev.kv.space.Space
import java.nio.ByteBuffer
import java.nio.file.{Files, Path}
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
    .comparator(DBComparator.of("example.Descending", Ordering[Slice].reverse))
    .build
  Using.resource(DB.open(Path.of("years"), options)): years =>
    for person <- List(ada, alan, grace) do
      years(ByteBuffer.allocate(Integer.BYTES).putInt(person.born).array) = person.key
    val names = years.view().map(entry => String(entry.value)).toList
    expect(List("Alan Turing", "Grace Hopper", "Ada Lovelace"), names)

case class UserId(number: Long)

object UserId:
  given KeyCodec[UserId] = longCodec.mapped(UserId(_), _.number)

/** A part of a database in memory as a map. */
private def typedMap(): Unit =
  val options = Options.builder.createIfMissing(true).env(Env.inMemory).build
  Using.resource(DB.open(Path.of("names"), options)): db =>
    val names = Space.of(db, "name/").asMap[UserId, String]
    names(UserId(11)) = "Alan"
    names(UserId(7)) = "Grace"
    expect(Some("Grace"), names.putIfAbsent(UserId(7), "Ada"))
    expect(None, names.get(UserId(1)))
    expect(List(UserId(7) -> "Grace", UserId(11) -> "Alan"), names.toList)

private def expect(wanted: Any, found: Any): Unit =
  assert(wanted == found, s"expected $wanted, found $found")

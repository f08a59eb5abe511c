package example

import dev.kv.bytes.Slice
import dev.kv.{ReadOptions, Snapshot, WriteOptions}
import dev.kv.scaladsl.*
import java.nio.{ByteBuffer, ByteOrder}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path

/** A person. The name is the key of its entry, the rest is the value. */
case class Person(name: String, born: Int, subject: String):
  def key: Array[Byte] = name.getBytes(UTF_8)

  /** The year in four bytes, then the subject in UTF-8. */
  def value: Array[Byte] =
    val text = subject.getBytes(UTF_8)
    ByteBuffer.allocate(Integer.BYTES + text.length).putInt(born).put(text).array

object Person:
  def apply(key: Array[Byte], value: Array[Byte]): Person =
    Person(
      String(key, UTF_8),
      ByteBuffer.wrap(value).getInt,
      String(value, Integer.BYTES, value.length - Integer.BYTES, UTF_8)
    )

  /** Reads one field of a value, without a copy. */
  def born(value: Slice): Int = value.getInt(0, ByteOrder.BIG_ENDIAN)

/** A typed store over a database: people by name. Thread-safe, like the database. */
class People(directory: Path) extends AutoCloseable:
  private val db = openDB(directory)(_.createIfMissing(true))

  def add(person: Person): Unit = db(person.key) = person.value

  /** Adds all of them or none. They are on the device when this method returns. */
  def addAll(people: Person*): Unit =
    db.batch(WriteOptions.SYNC): batch =>
      people.foreach(person => batch.put(person.key, person.value))

  def remove(name: String): Unit = db.delete(name.getBytes(UTF_8))

  def find(name: String): Option[Person] =
    val key = name.getBytes(UTF_8)
    db.getOption(key).map(Person(key, _))

  /** Returns the year without a copy of the value, or none if there is no such person. */
  def yearOfBirth(name: String): Option[Int] =
    db.readOption(name.getBytes(UTF_8))(Person.born)

  /** Returns the people whose names are in [from, to), in order. */
  def between(from: String, to: String): List[Person] =
    list(readOptions(_.lowerBound(from.getBytes(UTF_8)).upperBound(to.getBytes(UTF_8))))

  def all: List[Person] = list(ReadOptions.DEFAULT)

  def all(snapshot: Snapshot): List[Person] = list(ReadOptions.at(snapshot))

  def snapshot(): Snapshot = db.snapshot()

  private def list(options: ReadOptions): List[Person] =
    db.useEntries(options): entries =>
      entries.map { case KeyValue(key, value) => Person(key, value) }.toList

  def close(): Unit = db.close()

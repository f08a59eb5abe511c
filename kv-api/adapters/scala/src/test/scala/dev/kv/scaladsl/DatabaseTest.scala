package dev.kv.scaladsl

import dev.kv.bytes.Slice
import dev.kv.{DB, Options, ReadOptions, WriteOptions}
import dev.kv.env.Env
import dev.kv.tuple.Tuples
import dev.kv.map.{Codec, Codecs, KeyCodec}
import java.nio.charset.StandardCharsets.UTF_8
import java.nio.file.Path
import java.time.Instant
import java.util.UUID
import org.assertj.core.api.Assertions.{assertThat, assertThatThrownBy}
import org.junit.jupiter.api.{AfterEach, Test}
import scala.compiletime.testing.typeChecks

case class Visit(user: String, day: Int, place: Option[(Long, Boolean)])

case class UserId(number: Long)
object UserId:
  given KeyCodec[UserId] = Codecs.longs.mapped(UserId(_), id => Long.box(id.number))

case class Person(name: String)
object Person:
  given Codec[Person] = Codecs.utf8.mapped(Person(_), _.name)

case class Wide(
    p0: Int, p1: Int, p2: Int, p3: Int, p4: Int, p5: Int, p6: Int, p7: Int,
    p8: Int, p9: Int, p10: Int, p11: Int, p12: Int, p13: Int, p14: Int, p15: Int,
    p16: Int, p17: Int, p18: Int, p19: Int, p20: Int, p21: Int, p22: Int
)

class DatabaseTest:
  private val db: DB = openDB(Path.of("database"))(_.createIfMissing(true).env(Env.inMemory))

  @AfterEach def close(): Unit = db.close()

  private def b(text: String): Array[Byte] = text.getBytes(UTF_8)
  private def s(bytes: Array[Byte]): String = String(bytes, UTF_8)

  private def fill(): Unit =
    db.batch(): batch =>
      for name <- List("a", "b", "c") do batch.put(b(name), b(name + "1"))

  @Test def update_andGetOption_writeAndRead(): Unit =
    db(b("key")) = b("value")
    assertThat(db.getOption(b("key")).map(s)).isEqualTo(Some("value"))
    assertThat(db.getOption(b("missing"))).isEqualTo(None)

  @Test def optionsOfAGroup_setByStatements_areAllThere(): Unit =
    val builder = Options.builder.memory(_.offHeapLimit(5).maxMappedTables(6))
    val options = builder.compaction { c =>
      c.maxBackground(3)
      c.bytesPerSecond(4)
    }.build
    assertThat(options.compaction.maxBackground).isEqualTo(3)
    assertThat(options.compaction.bytesPerSecond).isEqualTo(4)
    assertThat(options.memory.offHeapLimit).isEqualTo(5)
    assertThat(options.memory.maxMappedTables).isEqualTo(6)

  @Test def readOption_ofAMissingKey_isNone(): Unit =
    db(b("key")) = b("value")
    assertThat(db.readOption(b("key"))(_.length)).isEqualTo(Some(5))
    assertThat(db.readOption(b("missing"))(_.length)).isEqualTo(None)

  @Test def usePinned_readsAndCloses(): Unit =
    db(b("key")) = b("value")
    assertThat(db.usePinned(b("key"))(_.slice.toUtf8String)).isEqualTo(Some("value"))
    assertThat(db.usePinned(b("missing"))(_.length)).isEqualTo(None)

  @Test def batch_thatThrows_writesNothing(): Unit =
    assertThatThrownBy(() =>
      db.batch(WriteOptions.SYNC): batch =>
        batch.put(b("key"), b("value"))
        throw IllegalStateException("no")
    ).isInstanceOf(classOf[IllegalStateException])
    assertThat(db.getOption(b("key"))).isEqualTo(None)

  @Test def useEntries_thatTakesTheFirst_closesTheScan(): Unit =
    fill()
    val descending = readOptions(_.descending(true))
    val first = db.useEntries(descending)(_.map { case KeyValue(k, v) => s(k) + s(v) }.next())
    assertThat(first).isEqualTo("cc1")
    assertThat(db.admin.stats.views().iterators).isZero()

  @Test def view_traversedTwice_scansTheStateOfEachBegin(): Unit =
    fill()
    val keys = db.view(ReadOptions.DEFAULT).map(entry => s(entry.key))
    assertThat(keys.toList).isEqualTo(List("a", "b", "c"))
    db.delete(b("a"))
    assertThat(keys.toList).isEqualTo(List("b", "c"))
    assertThat(keys.tail.toList).isEqualTo(List("c"))
    assertThat(keys.init.size).isEqualTo(1)
    assertThat(keys.isEmpty).isFalse()
    assertThat(db.admin.stats.views().iterators).isZero()

  @Test def asMap_withGivenCodecs_isAMapInTheOrderOfTheKeys(): Unit =
    val texts = db.asMap[Int, String]
    texts ++= List(3 -> "three", -1 -> "minus one", 2 -> "two")
    assertThat(texts.toList).isEqualTo(List(-1 -> "minus one", 2 -> "two", 3 -> "three"))
    assertThat(texts.putIfAbsent(2, "zwei")).isEqualTo(Some("two"))
    assertThat(texts.get(4)).isEqualTo(None)
    assertThat(texts.remove(3)).isEqualTo(Some("three"))
    assertThat(texts.size).isEqualTo(2)

  @Test def codecs_ofEveryType_returnWhatTheyEncode(): Unit =
    check("Ada", "", "\ud83d\ude00")
    check(true, false)
    check(0, Int.MinValue, Int.MaxValue)
    check(0L, Long.MinValue, Long.MaxValue)
    check(1.5, -0.0, Double.NegativeInfinity)
    check(BigInt(0), BigInt(-1) << 100)
    check(UUID(1, 2))
    check(Instant.ofEpochSecond(-1, 5))
    assertThat(bytesCodec.decode(Slice.of(bytesCodec.encode(b("x"))))).isEqualTo(b("x"))

  // This package sees all givens of the module, as after a wildcard import
  @Test def caseClasses_withCodecsInTheirCompanions_areStoredByThem(): Unit =
    db.asMap[UserId, Person](UserId(7)) = Person("Ada")
    assertThat(db.get(Codecs.longs.encode(7L))).isEqualTo(b("Ada"))
    assertThat(db.asMap[UserId, Person].get(UserId(7))).isEqualTo(Some(Person("Ada")))

  @Test def caseClasses_asValues_needACodec(): Unit =
    assertThat(typeChecks("db.asMap[Visit, Person]")).isTrue()
    assertThat(typeChecks("db.asMap[Int, Visit]")).isFalse()

  @Test def zeros_ofBothSigns_areTwoKeys(): Unit =
    val signs = db.asMap[Double, String]
    signs ++= List(0.0 -> "+", -0.0 -> "-")
    assertThat(signs.values.toList).isEqualTo(List("-", "+"))
    db.deleteRange(null, null)
    val parts = db.asMap[(Float, Double), String]
    parts ++= List((0f, 0.0) -> "++", (0f, -0.0) -> "+-", (-0f, 0.0) -> "-+")
    assertThat(parts.values.toList).isEqualTo(List("-+", "+-", "++"))

  @Test def tuplesAndCaseClasses_asKeys_sortByTheirParts(): Unit =
    val visits = db.asMap[Visit, String]
    val expected = List(
      Visit("Ada", -1, None) -> "a",
      Visit("Ada", 2, None) -> "b",
      Visit("Ada", 2, Some((1L, true))) -> "c",
      Visit("Ada", 10, Some((-1L, false))) -> "d",
      Visit("Bob", 0, None) -> "e"
    )
    visits ++= expected.reverse
    assertThat(visits.toList).isEqualTo(expected)
    assertThat(visits.get(Visit("Ada", 2, None))).isEqualTo(Some("b"))
    assertThat(visits.get(Visit("Ada", 3, None))).isEqualTo(None)
    check[(String, Long)](("", Long.MinValue), ("x\u0000", Long.MaxValue))
    check[(Boolean, Float, Double, UUID, BigInt)](
      (true, 1.5f, -2.5, UUID(1, 2), BigInt(7)),
      (false, -0.5f, 1e300, UUID(-1, 0), BigInt(-1) << 100)
    )
    // The bytes are those of dev.kv.tuple
    val codec = summon[KeyOf[(String, Int)]].codec
    assertThat(codec.encode(("a", 7))).isEqualTo(Tuples.pack("a", Int.box(7)))
    for other <- List(Tuples.pack("a"), Tuples.pack("a", "b"), Tuples.pack("a", Long.box(1L << 40)))
    do
      assertThatThrownBy(() => codec.decode(Slice.of(other)))
        .isInstanceOf(classOf[IllegalArgumentException])

  @Test def tuples_withANullInThePlaceOfANumber_areRefused(): Unit =
    def refuse[T](codec: KeyCodec[(String, T)]): Unit =
      assertThatThrownBy(() => codec.decode(Slice.of(Tuples.pack("a", null))))
        .isInstanceOf(classOf[IllegalArgumentException])
    refuse(summon[KeyOf[(String, Long)]].codec)
    refuse(summon[KeyOf[(String, Int)]].codec)
    refuse(summon[KeyOf[(String, Boolean)]].codec)
    refuse(summon[KeyOf[(String, Float)]].codec)
    refuse(summon[KeyOf[(String, Double)]].codec)
    refuse(summon[KeyOf[(String, BigInt)]].codec)
    check[(String, Option[Long])](("a", None), ("a", Some(0L)))

  @Test def tuples_withAnOptionOfAnOption_doNotCompile(): Unit =
    assertThat(typeChecks("summon[KeyOf[(String, Option[Int])]]")).isTrue()
    assertThat(typeChecks("summon[KeyOf[(String, Option[Option[Int]])]]")).isFalse()

  @Test def tuples_ofMoreThan22Parts_areNoKeys(): Unit =
    assertThat(typeChecks("""summon[KeyOf[(
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int
    )]]""")).isTrue()
    assertThat(typeChecks("""summon[KeyOf[(
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int,
      Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int, Int
    )]]""")).isFalse()
    assertThat(typeChecks("summon[KeyOf[Wide]]")).isTrue()

  private def check[T](values: T*)(using keys: KeyOf[T]): Unit =
    val codec = keys.codec
    for value <- values do
      assertThat(codec.decode(Slice.of(codec.encode(value))).asInstanceOf[Object]).isEqualTo(value)

  @Test def useSnapshot_whileTheDatabaseChanges_readsTheOldState(): Unit =
    db(b("key")) = b("old")
    db.useSnapshot: before =>
      db(b("key")) = b("new")
      assertThat(db.getOption(b("key"), ReadOptions.at(before)).map(s)).isEqualTo(Some("old"))
    assertThat(db.admin.stats.views().snapshots).isZero()

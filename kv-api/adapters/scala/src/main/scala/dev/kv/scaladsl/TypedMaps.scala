package dev.kv.scaladsl

import dev.kv.KeyValueStore
import dev.kv.map.{Codec, Codecs, DBMap, KeyCodec}
import java.time.Instant
import java.util.UUID
import scala.collection.concurrent
import scala.jdk.CollectionConverters.*

extension (db: KeyValueStore)
  /** Returns the database as a map of typed keys and values, in the order of the keys.
    *
    * {{{
    * import dev.kv.scaladsl.{*, given}
    * val years = db.asMap[String, Int]
    * years("Ada") = 1815
    * }}}
    *
    * The map is a view, and thread-safe; `putIfAbsent` and `replace` are atomic. Its size is counted
    * by a scan.
    *
    * @param keys
    *   encodes the keys
    * @param values
    *   encodes the values
    */
  def asMap[K, V](using keys: KeyOf[K], values: Codec[V]): concurrent.Map[K, V] =
    DBMap.of(db, keys.codec, values).asScala

/** Texts in UTF-8; they sort by their code points. */
given stringCodec: KeyCodec[String] = Codecs.utf8

/** Bytes as they are. */
given bytesCodec: KeyCodec[Array[Byte]] = Codecs.bytes

given booleanCodec: KeyCodec[Boolean] =
  Codecs.booleans.mapped[Boolean](_.booleanValue, Boolean.box(_))

/** Four bytes, which sort as the numbers do. */
given intCodec: KeyCodec[Int] = Codecs.ints.mapped[Int](_.intValue, Int.box(_))

/** Eight bytes, which sort as the numbers do. */
given longCodec: KeyCodec[Long] = Codecs.longs.mapped[Long](_.longValue, Long.box(_))

/** Eight bytes, which sort as `Ordering.Double.TotalOrdering` does: -0.0 and 0.0 are two keys,
  * although `==` compares them as equal, and all NaNs are one.
  */
given doubleCodec: KeyCodec[Double] = Codecs.doubles.mapped[Double](_.doubleValue, Double.box(_))

given bigIntCodec: KeyCodec[BigInt] = Codecs.bigIntegers.mapped[BigInt](BigInt(_), _.bigInteger)

given uuidCodec: KeyCodec[UUID] = Codecs.uuids

given instantCodec: KeyCodec[Instant] = Codecs.instants

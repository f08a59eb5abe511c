package dev.kv.scaladsl

import dev.kv.map.KeyCodec
import dev.kv.tuple.Tuples
import java.math.BigInteger
import java.util.UUID
import scala.compiletime.{erasedValue, summonInline}
import scala.deriving.Mirror
import scala.jdk.CollectionConverters.*
import scala.util.NotGiven

/** The codec of the keys of a map: the given [[dev.kv.map.KeyCodec]] of the type, for example that
  * of its companion. A tuple or a case class without one is a key in the encoding of
  * `dev.kv.tuple`: keys sort by their first part, then by their second, and so on.
  *
  * {{{
  * case class Visit(user: String, day: Int)
  * val visits = db.asMap[Visit, String]
  * val scores = db.asMap[(String, Long), Int]
  * }}}
  *
  * The names of the fields are not stored. Each part has a [[TuplePart]]; a tuple or case class in a
  * key is a nested tuple. Floating-point parts sort as [[doubleCodec]] says.
  */
final class KeyOf[K](val codec: KeyCodec[K])

object KeyOf extends DerivedKeys:
  given [K](using codec: KeyCodec[K]): KeyOf[K] = KeyOf(codec)

/** The keys without a codec of their own. They are not a KeyCodec that is given, which an import
  * would prefer to that of a companion.
  */
sealed trait DerivedKeys:
  inline given derived[T <: Product](using mirror: Mirror.ProductOf[T]): KeyOf[T] =
    KeyOf(TuplePart.codec(TuplePart.product[T]))

/** How a value is a part of a key. */
trait TuplePart[T]:
  /** Returns the value as one of the classes that `Tuples.pack` takes, or null. */
  def toElement(value: T): Any

  /** Returns the value of what `Tuples.unpack` returns.
    *
    * @throws ClassCastException
    *   if the element has another class
    */
  def ofElement(element: Any): T

object TuplePart:
  /** Creates a part from two functions.
    *
    * @param to
    *   implements `toElement`
    * @param of
    *   implements `ofElement`
    */
  def apply[T](to: T => Any)(of: Any => T): TuplePart[T] = new TuplePart[T]:
    def toElement(value: T): Any = to(value)
    def ofElement(element: Any): T = of(element)

  /** A part that is never null: Scala casts null to 0 or false. */
  private def primitive[T](to: T => Any)(of: Any => T): TuplePart[T] =
    TuplePart[T](to): element =>
      if element == null then
        throw IllegalArgumentException("null in the place of a number or a boolean")
      of(element)

  given TuplePart[String] = TuplePart[String](identity)(_.asInstanceOf[String])
  given TuplePart[Boolean] = primitive[Boolean](identity)(_.asInstanceOf[Boolean])
  given TuplePart[Long] = primitive[Long](identity)(_.asInstanceOf[Long])
  given TuplePart[Int] =
    primitive[Int](_.toLong)(element => Math.toIntExact(element.asInstanceOf[Long]))
  given TuplePart[Float] = primitive[Float](identity)(_.asInstanceOf[Float])
  given TuplePart[Double] = primitive[Double](identity)(_.asInstanceOf[Double])
  given TuplePart[UUID] = TuplePart[UUID](identity)(_.asInstanceOf[UUID])
  given TuplePart[Array[Byte]] = TuplePart[Array[Byte]](identity)(_.asInstanceOf[Array[Byte]])
  given TuplePart[BigInt] = TuplePart[BigInt](_.bigInteger):
    case small: Long => BigInt(small)
    case large => BigInt(large.asInstanceOf[BigInteger])

  /** None is null, which sorts before every value. An option of an option is not a part: it could
    * not tell None from Some(None).
    */
  given option[T](using part: TuplePart[T], notNested: NotGiven[T <:< Option[?]])
      : TuplePart[Option[T]] =
    TuplePart[Option[T]](_.map(part.toElement).orNull): element =>
      Option.when(element != null)(part.ofElement(element))

  /** Tuples and case classes. */
  inline given product[T <: Product](using mirror: Mirror.ProductOf[T]): TuplePart[T] =
    ofParts(parts[mirror.MirroredElemTypes], mirror.fromProduct)

  /** The parts of the types of a tuple. */
  inline def parts[Types <: Tuple]: List[TuplePart[Any]] =
    inline erasedValue[Types] match
      case _: EmptyTuple => Nil
      case _: (first *: rest) =>
        summonInline[TuplePart[first]].asInstanceOf[TuplePart[Any]] :: parts[rest]

  /** For the code that the compiler makes of `product`. */
  def ofParts[T <: Product](parts: List[TuplePart[Any]], of: Product => T): TuplePart[T] =
    TuplePart[T](value =>
      parts.zip(value.productIterator).map((part, field) => part.toElement(field)).asJava
    ): element =>
      val elements = element.asInstanceOf[java.util.List[Any]].asScala
      if elements.size != parts.size then
        throw IllegalArgumentException(
          s"a key of ${elements.size} parts, and the type has ${parts.size}"
        )
      of(Tuple.fromArray(parts.zip(elements).map(_.ofElement(_)).toArray))

  /** For the code that the compiler makes of `derived`. */
  def codec[T](part: TuplePart[T]): KeyCodec[T] =
    KeyCodec.of[T](
      key => Tuples.packList(part.toElement(key).asInstanceOf[java.util.List[Object]]),
      bytes =>
        try part.ofElement(Tuples.unpack(bytes))
        catch
          case e: (ClassCastException | ArithmeticException | NullPointerException) =>
            throw IllegalArgumentException("a key of another type", e)
    )

package dev.kv.change;

import dev.kv.bytes.Escape;
import java.nio.ByteBuffer;
import java.util.Locale;
import java.util.Objects;

/**
 * A place in the order of a database's writes: after all writes up to a sequence number. A follower
 * stores the position of the last {@link ChangeGroup} that it has applied, in the same batch as the
 * data, and continues there with {@link ChangeFeed#open(ChangePosition)}.
 *
 * <p>A sequence number alone is not enough. If the power is lost, a database may give the numbers
 * of lost writes to other writes; after a repair, or if a backup was restored, too. So a position
 * also names the incarnation: each open that keeps logs begins a new one. The database knows which
 * earlier incarnations led to its present state, and up to which write.
 *
 * @param incarnation a random number that names the open during which the position was read
 * @param sequence the sequence number of the last write before the position
 */
public record ChangePosition(long incarnation, long sequence) {
  /** The length of {@link #toByteArray}. */
  public static final int BYTES = 2 * Long.BYTES;

  /**
   * Creates a position.
   *
   * @param incarnation a random number that names the open during which the position was read
   * @param sequence the sequence number of the last write before the position
   * @throws IllegalArgumentException if {@code sequence} is negative
   */
  public ChangePosition {
    if (sequence < 0) {
      throw new IllegalArgumentException("sequence is " + sequence + ", must be at least 0");
    }
  }

  /**
   * Returns the position after another write of the same incarnation, for example after the last
   * one that a {@linkplain dev.kv.admin.DBInspector#checkpoint checkpoint} contains.
   *
   * @param other the sequence number
   * @return a position
   */
  public ChangePosition withSequence(long other) {
    return new ChangePosition(incarnation, other);
  }

  /**
   * Returns the position as bytes, to store it.
   *
   * @return {@link #BYTES} bytes: incarnation and sequence number, big-endian
   */
  public byte[] toByteArray() {
    return ByteBuffer.allocate(BYTES).putLong(incarnation).putLong(sequence).array();
  }

  /**
   * Returns the position that {@link #toByteArray} encoded.
   *
   * @param bytes the bytes
   * @return the position
   * @throws IllegalArgumentException if the bytes are not a position
   */
  public static ChangePosition ofBytes(byte[] bytes) {
    Objects.requireNonNull(bytes, "bytes");
    if (bytes.length != BYTES) {
      throw new IllegalArgumentException(
          "a position has " + BYTES + " bytes, these are " + bytes.length);
    }
    ByteBuffer buffer = ByteBuffer.wrap(bytes);
    return new ChangePosition(buffer.getLong(), buffer.getLong());
  }

  /**
   * Returns the position that {@link #toString} wrote.
   *
   * @param text the text
   * @return the position
   * @throws IllegalArgumentException if the text is not a position
   */
  public static ChangePosition parse(String text) {
    Objects.requireNonNull(text, "text");
    int dash = text.indexOf('-');
    try {
      return new ChangePosition(
          Long.parseUnsignedLong(text.substring(0, Math.max(dash, 0)), 16),
          Long.parseLong(text.substring(dash + 1)));
    } catch (NumberFormatException e) {
      throw new IllegalArgumentException(
          "not a position, which looks like 8f14e45fceea167a-42: " + Escape.text(text), e);
    }
  }

  /** Returns the incarnation in hexadecimal digits, a dash, and the sequence number. */
  @Override
  public String toString() {
    return String.format(Locale.ROOT, "%016x-%d", incarnation, sequence);
  }
}

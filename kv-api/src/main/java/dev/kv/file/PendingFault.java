package dev.kv.file;

import java.nio.ByteBuffer;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * The InternalError that is pending for a thread after it touched a mapped page that is missing:
 * one after the end of a truncated file, or one that cannot be read.
 *
 * <p>The error is not thrown at the faulting instruction. Compiled code goes on after it, and the
 * error is thrown when the thread next enters the runtime: on Java 17 not even at a safepoint or a
 * native call, but at some later allocation, in unrelated code. So code that touches a mapping
 * checks the result instead (a bulk copy that faults does not write its last byte), and absorbs the
 * error here before it goes on. Thread-safe.
 */
public final class PendingFault {
  /**
   * Whether a bulk copy that faults leaves its last byte as it was. On s390x it goes on and may
   * write any byte there; what other processors do is not known. There a copy, and a search of a
   * mapping, ends with {@link #absorb}, which costs an allocation.
   */
  private static final boolean COPY_STOPS =
      Set.of("amd64", "x86_64", "x86", "i386", "i486", "i586", "i686", "aarch64")
          .contains(System.getProperty("os.arch", ""));

  private static final byte MARK = 0x5a;

  // Not constant, and not provably unused: otherwise the compiler would remove the allocation.
  private volatile int one = 1;

  @SuppressWarnings("UnusedVariable")
  private volatile byte @Nullable [][] sink;

  /** Creates an object; one serves any number of threads. */
  public PendingFault() {}

  /**
   * Copies at least one byte out of a buffer that may map a file. A copy that faults does not write
   * its last byte, so that byte is set before and checked after the copy.
   *
   * @param source the buffer
   * @param from the offset in {@code source}
   * @param into takes the bytes; its limit is not below the end of the copy
   * @param at the offset in {@code into}
   * @param length the number of bytes
   * @return null, or the error if a page was missing; it is not pending any more
   */
  public @Nullable InternalError copy(
      ByteBuffer source, int from, ByteBuffer into, int at, int length) {
    int last = at + length - 1;
    try {
      into.put(last, MARK);
      into.put(at, source, from, length);
      if (into.get(last) != MARK) {
        return missed();
      }
      into.put(last, (byte) ~MARK);
      into.put(at, source, from, length);
      return into.get(last) == MARK ? null : absorbAll(null);
    } catch (InternalError e) {
      return absorbAll(e); // thrown by the second copy, whose own error may be pending still
    }
  }

  /**
   * Copies a key or value of the program, which may be in a mapped file that was cut short. The
   * error must not stay pending: it would be thrown at the commit of the write, or in the thread of
   * another writer.
   *
   * @param source the key or value: the remaining bytes; the position does not change
   * @param into takes the bytes
   * @param at the offset in {@code into}
   * @throws IllegalStateException if a page was missing
   */
  public void copyKeyOrValue(ByteBuffer source, ByteBuffer into, int at) {
    int length = source.remaining();
    if (mayFault(source, length)) {
      check(copy(source, source.position(), into, at, length));
    } else {
      into.put(at, source, source.position(), length);
    }
  }

  /**
   * Returns a copy of the remaining bytes of a key or value of the program.
   *
   * @param source the key or value; the position does not change
   * @return the copy
   * @throws IllegalStateException as for {@link #copyKeyOrValue}
   */
  public byte[] copyOf(ByteBuffer source) {
    byte[] bytes = new byte[source.remaining()];
    copyKeyOrValue(source, ByteBuffer.wrap(bytes), 0);
    return bytes;
  }

  private static boolean mayFault(ByteBuffer source, int length) {
    return source.isDirect() && length > 0;
  }

  private static void check(@Nullable InternalError fault) {
    if (fault != null) {
      throw new IllegalStateException(
          "a key or value is in a mapped file that cannot be read: was it cut short?", fault);
    }
  }

  /**
   * Absorbs the errors of copies that seem complete.
   *
   * @return the first one, or null if there is none
   */
  public @Nullable InternalError missed() {
    InternalError fault = COPY_STOPS ? null : absorb();
    return fault == null ? null : absorbAll(fault);
  }

  /**
   * Absorbs all pending errors of an access that failed.
   *
   * @param thrown the error that was thrown, or null if none was
   * @return {@code thrown}, or the first pending error
   */
  public InternalError absorbAll(@Nullable InternalError thrown) {
    InternalError first = thrown;
    for (InternalError next = absorb(); next != null; next = absorb()) {
      first = first == null ? next : first;
    }
    return first != null ? first : new InternalError("a page of a mapped file is missing");
  }

  /**
   * Absorbs this thread's pending error.
   *
   * @return the error, or null if there is none
   */
  public @Nullable InternalError absorb() {
    try {
      // The allocation of an array of arrays of unknown lengths enters the runtime, both in
      // interpreted and in compiled code.
      sink = new byte[one][one];
      return null;
    } catch (InternalError e) {
      return e;
    }
  }
}

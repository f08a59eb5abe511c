package dev.kv.core.table.block;

import static dev.kv.core.Bytes.direct;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.iterator.ForwardIterator;
import dev.kv.core.iterator.InternalIterator;
import dev.kv.core.key.InternalKey;
import java.nio.ByteBuffer;
import java.util.Random;

/** Moves a cursor at random and compares each place with what the sorted entries say. */
public final class CursorModel {
  private final InternalIterator cursor;
  private final Entries entries;
  private final Random random;
  private final boolean internal;
  private int at;

  /** Creates a model of {@code cursor}, which is over {@code entries}. */
  public CursorModel(InternalIterator cursor, Entries entries, Random random, boolean internal) {
    this.cursor = cursor;
    this.entries = entries;
    this.random = random;
    this.internal = internal;
  }

  /** Walks forward and backward once, then makes {@code moves} random moves. */
  public void run(int moves) {
    int last = entries.list().size() - 1;
    cursor.seekToFirst();
    for (at = 0; at <= last; at++) {
      check();
      cursor.next();
    }
    assertThat(cursor.isValid()).isFalse();
    cursor.seekToLast();
    for (at = last; at >= 0; at--) {
      check();
      cursor.prev();
    }
    assertThat(cursor.isValid()).isFalse();
    for (int i = 0; i < moves; i++) {
      move();
      check();
    }
  }

  private void move() {
    boolean placed = cursor.isValid();
    int choice = random.nextInt(placed ? 12 : 4);
    if (choice == 0) {
      cursor.seekToFirst();
      at = 0;
    } else if (choice == 1) {
      cursor.seekToLast();
      at = entries.list().size() - 1;
    } else if (choice < 4) {
      seek();
    } else if (choice < 8) {
      cursor.next();
      at++;
    } else {
      cursor.prev();
      at--;
    }
  }

  private void seek() {
    byte[] key = target();
    ByteBuffer direct = direct(key);
    cursor.seek(direct, 0, key.length);
    at = entries.ceiling(key);
  }

  private byte[] target() {
    if (random.nextBoolean() && !entries.list().isEmpty()) {
      byte[] key = entries.list().get(random.nextInt(entries.list().size())).key().clone();
      if (random.nextBoolean() && internal) {
        key[key.length - 1 - random.nextInt(7)] += (byte) (random.nextInt(3) - 1);
      }
      return key;
    }
    byte[] user = Entries.randomKey(random);
    if (!internal) {
      return user;
    }
    byte[] key = java.util.Arrays.copyOf(user, user.length + InternalKey.TRAILER);
    byte[] tag = new byte[InternalKey.TRAILER];
    random.nextBytes(tag);
    tag[0] = 1;
    System.arraycopy(tag, 0, key, user.length, tag.length);
    return key;
  }

  /** Compares the cursor's place with the model's. */
  public void check() {
    boolean inside = at >= 0 && at < entries.list().size();
    assertThat(cursor.isValid()).isEqualTo(inside);
    if (inside) {
      Entries.Entry expected = entries.list().get(at);
      assertThat(key(cursor)).isEqualTo(expected.key());
      assertThat(value(cursor)).isEqualTo(expected.value());
    }
  }

  /** Returns a copy of the cursor's key. */
  public static byte[] key(ForwardIterator cursor) {
    byte[] key = new byte[cursor.keyLength()];
    cursor.keyBuffer().get(cursor.keyOffset(), key);
    return key;
  }

  /** Returns a copy of the cursor's value. */
  public static byte[] value(ForwardIterator cursor) {
    byte[] value = new byte[cursor.valueLength()];
    cursor.valueBuffer().get(cursor.valueOffset(), value);
    return value;
  }
}

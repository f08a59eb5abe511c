package dev.kv.core.state;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.EnvFiles;
import dev.kv.core.ShortReads;
import dev.kv.core.state.Incarnations.Incarnation;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class IncarnationsTest {
  private static final Path DIRECTORY = Path.of("/db");
  private static final Path FILE = DIRECTORY.resolve("CHANGES");

  private static final Incarnation A = new Incarnation(101, 0, 3, 1000);
  private static final Incarnation B = new Incarnation(102, 10, 5, 2000);
  private static final Incarnation C = new Incarnation(103, 20, 7, 3000);
  private static final Incarnation D = new Incarnation(104, 30, 9, 4000);

  private final Env env = Env.inMemory();

  @BeforeEach
  void createDirectory() throws IOException {
    env.createDirectory(DIRECTORY);
  }

  @Test
  void read_ofWhatWasWritten_isEqual() throws IOException {
    assertThat(Incarnations.read(env, DIRECTORY)).as("without a file").isNull();
    for (List<Incarnation> each : List.of(List.of(A), List.of(A, B), List.of(A, B, C))) {
      Incarnations written = new Incarnations(7, each);
      written.write(env, DIRECTORY);
      assertThat(Incarnations.read(env, DIRECTORY)).isEqualTo(written);
    }
    assertThat(env.list(DIRECTORY)).containsExactly("CHANGES");
  }

  @Test
  void read_ofTheMostIncarnations_isEqualAndOfMoreIsNull() throws IOException {
    List<Incarnation> many = new ArrayList<>();
    for (int i = 0; i < Incarnations.MOST; i++) {
      many.add(new Incarnation(i, i, 2 * i, i));
    }
    Incarnations most = new Incarnations(7, many);
    most.write(env, DIRECTORY);
    assertThat(Incarnations.read(env, DIRECTORY)).isEqualTo(most);
    many.add(A);
    new Incarnations(7, many).write(env, DIRECTORY);
    assertThat(Incarnations.read(env, DIRECTORY)).isNull();
  }

  @Test
  void read_ofAFileThatIsNotWhole_isNull() throws IOException {
    new Incarnations(7, List.of(A, B)).write(env, DIRECTORY);
    byte[] whole = EnvFiles.read(env, FILE);
    for (int at = 0; at < whole.length; at++) {
      byte[] damaged = whole.clone();
      damaged[at] ^= 1;
      EnvFiles.write(env, FILE, damaged);
      assertThat(Incarnations.read(env, DIRECTORY)).as("changed at %d", at).isNull();
      EnvFiles.write(env, FILE, Arrays.copyOf(whole, at));
      assertThat(Incarnations.read(env, DIRECTORY)).as("cut at %d", at).isNull();
    }
    EnvFiles.write(env, FILE, Arrays.copyOf(whole, whole.length + 1));
    assertThat(Incarnations.read(env, DIRECTORY)).isNull();
  }

  @Test
  void read_inShortReads_isWhole() throws IOException {
    Incarnations written = new Incarnations(7, List.of(A, B, C));
    written.write(env, DIRECTORY);
    assertThat(Incarnations.read(new ShortReads(env, 7), DIRECTORY)).isEqualTo(written);
  }

  @Test
  void indexes_areThoseOfTheIdAndOfTheLog() {
    Incarnations all = new Incarnations(3, List.of(A, B, C));
    assertThat(all.last()).isEqualTo(C);
    assertThat(all.indexOf(101)).isZero();
    assertThat(all.indexOf(103)).isEqualTo(2);
    assertThat(all.indexOf(999)).isEqualTo(-1);
    assertThat(all.indexOfLog(2)).isEqualTo(-1);
    assertThat(all.indexOfLog(3)).isZero();
    assertThat(all.indexOfLog(4)).isZero();
    assertThat(all.indexOfLog(5)).isEqualTo(1);
    assertThat(all.indexOfLog(100)).isEqualTo(2);
  }

  @Test
  void end_isTheLeastBeginningOfALaterIncarnation() {
    Incarnation back = new Incarnation(105, 15, 11, 5000);
    Incarnations all = new Incarnations(3, List.of(A, C, back));
    assertThat(all.end(0)).isEqualTo(15);
    assertThat(all.end(1)).isEqualTo(15);
    assertThat(all.end(2)).isEqualTo(Long.MAX_VALUE);
  }

  @Test
  void with_anotherIncarnation_leavesOutThoseWhosePositionsCannotBeRead() {
    assertThat(new Incarnations(3, List.of(A, B, C)).with(D).list()).containsExactly(A, B, C, D);
    assertThat(new Incarnations(5, List.of(A, B, C)).with(D).list())
        .as("the last position of A is that before log 5")
        .containsExactly(A, B, C, D);
    assertThat(new Incarnations(7, List.of(A, B, C)).with(D).list()).containsExactly(B, C, D);
    assertThat(new Incarnations(2, List.of(A)).with(B))
        .as("a log that no incarnation wrote")
        .isEqualTo(new Incarnations(2, List.of(A, B)));
  }

  @Test
  void with_oneMoreThanTheMost_leavesOutTheOldest() {
    List<Incarnation> many = new ArrayList<>();
    for (int i = 0; i < Incarnations.MOST; i++) {
      many.add(new Incarnation(i, 0, i, 0));
    }
    Incarnation next = new Incarnation(-1, 0, Incarnations.MOST, 0);
    List<Incarnation> left = new Incarnations(0, many).with(next).list();
    assertThat(left).hasSize(Incarnations.MOST).endsWith(next);
    assertThat(left.get(0)).isEqualTo(many.get(1));
    assertThat(new Incarnations(0, many.subList(1, Incarnations.MOST)).with(next).list())
        .hasSize(Incarnations.MOST)
        .startsWith(many.get(1));
  }
}

package dev.kv.core.peer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.kv.DB;
import dev.kv.DBException;
import dev.kv.FilterPolicy;
import dev.kv.Options;
import dev.kv.RecoveryMode;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A current C++ LevelDB, in python's plyvel. Skipped with a printed reason where python has it not;
 * where the environment variable CI is true, that is a failure.
 */
class PlyvelPeerTest {
  private static final long SEED = 11;
  private static final int OPERATIONS = 6000;
  private static final long DAMAGE_SEED = Long.getLong("kv.peer.seed", 17);
  private static final int DAMAGES = Boolean.getBoolean("kv.long") ? 1000 : 24;

  @TempDir Path temp;

  @BeforeAll
  static void findPlyvel() throws IOException, InterruptedException {
    String reason = "";
    try {
      Process probe =
          new ProcessBuilder("python3", "-c", "import plyvel").redirectErrorStream(true).start();
      String output = new String(probe.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      reason = probe.waitFor() == 0 ? "" : "python3 has no plyvel: " + output.strip();
    } catch (IOException none) {
      reason = "no python3: " + none.getMessage();
    }
    if (!reason.isEmpty()) {
      System.out.println("Not compared with a current C++ LevelDB: " + reason);
      assertThat(System.getenv("CI")).as(reason).isNotEqualTo("true");
    }
    assumeTrue(reason.isEmpty(), reason);
  }

  @ParameterizedTest
  @EnumSource(KvSide.Configuration.class)
  void directoryOfKv_readAndWrittenByCpp_isTheSame(KvSide.Configuration configuration)
      throws Exception {
    Path directory = temp.resolve("db");
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    for (long round = 0; round < 2; round++) {
      Workload mine = Workload.of(SEED + round, OPERATIONS);
      KvSide.write(directory, configuration.options(), mine, round == 1);
      mine.applyTo(model);
      KvSide.expectEntries("C++ LevelDB", read(directory), model);
      Workload theirs = Workload.of(SEED + 100 + round, OPERATIONS / 4);
      write(directory, theirs);
      theirs.applyTo(model);
      KvSide.expect(directory, configuration.options(), model);
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"", "plain", "bloom", "compact"})
  void directoryOfCpp_openedByKv_isTheSame(String flag) throws Exception {
    Path directory = temp.resolve("db");
    Workload workload = Workload.of(SEED, OPERATIONS);
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    write(directory, workload, flag);
    workload.applyTo(model);
    KvSide.expect(directory, Options.builder().filterPolicy(FilterPolicy.bloom(10)).build(), model);
  }

  @Test
  void openDatabaseOfKv_copiedAsAfterAKill_isReadByCpp() throws Exception {
    Path directory = temp.resolve("db");
    Path copy = temp.resolve("copy");
    TreeMap<byte[], byte[]> model = Workload.emptyModel();
    Workload workload = Workload.of(SEED, 500);
    try (dev.kv.DB db =
        dev.kv.DB.open(directory, Options.builder().createIfMissing(true).build())) {
      for (Workload.Operation operation : workload.operations()) {
        if (operation.value() == null) {
          db.delete(operation.key());
        } else {
          db.put(operation.key(), operation.value());
        }
      }
      copy(directory, copy);
    }
    workload.applyTo(model);
    KvSide.expectEntries("C++ LevelDB", read(copy), model);
    KvSide.expect(copy, Options.DEFAULT, model);
  }

  /** Under the compatible recovery mode a damaged log gives what C++ LevelDB makes of it. */
  @Test
  void damagedLog_recoveredByBoth_isTheSame() throws Exception {
    Path directory = temp.resolve("db");
    Random random = new Random(DAMAGE_SEED);
    Options options = Options.builder().recoveryMode(RecoveryMode.CPP_COMPAT).build();
    try (DB db = DB.open(directory, options.toBuilder().createIfMissing(true).build())) {
      for (int i = 0; i < 400; i++) {
        byte[] value = new byte[random.nextInt(20) == 0 ? 40_000 : random.nextInt(600)];
        random.nextBytes(value);
        db.put(String.format("key%05d", i).getBytes(StandardCharsets.UTF_8), value);
      }
    }
    int lossy = 0;
    for (int round = 0; round < DAMAGES; round++) {
      String what = "round " + round + " of seed " + DAMAGE_SEED;
      Path theirs = temp.resolve("theirs" + round);
      Path ours = temp.resolve("ours" + round);
      copy(directory, theirs);
      try (Stream<Path> files = Files.list(theirs)) {
        Path log = files.filter(file -> file.toString().endsWith(".log")).findFirst().orElseThrow();
        Files.write(log, damaged(Files.readAllBytes(log), random, round % 4));
      }
      copy(theirs, ours);
      TreeMap<byte[], byte[]> model = Workload.emptyModel();
      read(theirs, "lenient")
          .forEachRemaining(entry -> model.put(entry.getKey(), entry.getValue()));
      try {
        KvSide.expect(ours, options, model);
      } catch (AssertionError | DBException e) {
        throw new AssertionError(what, e);
      }
      lossy += model.size() < 400 ? 1 : 0;
    }
    assertThat(lossy).isGreaterThan(DAMAGES / 2);
  }

  private static byte[] damaged(byte[] log, Random random, int kind) {
    byte[] bytes = log.clone();
    int at = random.nextInt(bytes.length);
    switch (kind) {
      case 0 -> bytes[at] ^= (byte) (1 << random.nextInt(8));
      case 1 -> {
        int sector = at - at % 512;
        Arrays.fill(bytes, sector, Math.min(bytes.length, sector + 512 * 9), (byte) 0);
      }
      case 2 -> bytes = Arrays.copyOf(bytes, at);
      default -> {
        // In the header of a block's first record.
        for (int i = 0; i < 3; i++) {
          bytes[at - at % 32768 + random.nextInt(7)] ^= (byte) (1 << random.nextInt(8));
        }
      }
    }
    return bytes;
  }

  private static void copy(Path from, Path to) throws IOException {
    Files.createDirectory(to);
    try (Stream<Path> files = Files.list(from)) {
      for (Path file : files.toList()) {
        Files.copy(file, to.resolve(file.getFileName()));
      }
    }
  }

  private Iterator<Map.Entry<byte[], byte[]>> read(Path directory, String... flags)
      throws Exception {
    HexFormat hex = HexFormat.of();
    List<Map.Entry<byte[], byte[]>> entries = new ArrayList<>();
    for (String line : Files.readAllLines(run(Path.of("/dev/null"), "read", directory, flags))) {
      int space = line.indexOf(' ');
      entries.add(
          Map.entry(hex.parseHex(line, 0, space), hex.parseHex(line, space + 1, line.length())));
    }
    return entries.iterator();
  }

  private void write(Path directory, Workload workload, String... flags) throws Exception {
    HexFormat hex = HexFormat.of();
    StringBuilder lines = new StringBuilder();
    for (Workload.Operation operation : workload.operations()) {
      byte[] value = operation.value();
      lines.append(value == null ? "delete " : "put ").append(hex.formatHex(operation.key()));
      lines.append(' ').append(value == null ? "" : hex.formatHex(value)).append('\n');
    }
    Path input = Files.writeString(temp.resolve("input"), lines);
    run(input, "write", directory, flags);
  }

  private Path run(Path input, String mode, Path directory, String... flags) throws Exception {
    List<String> command = new ArrayList<>(List.of("python3", script(), mode));
    command.add(directory.toString());
    command.addAll(List.of(flags));
    File output = temp.resolve("output").toFile();
    File errors = temp.resolve("errors").toFile();
    Process python =
        new ProcessBuilder(command)
            .redirectInput(input.toFile())
            .redirectOutput(output)
            .redirectError(errors)
            .start();
    assertThat(python.waitFor(60, TimeUnit.SECONDS)).as("python ends").isTrue();
    assertThat(python.exitValue()).as(Files.readString(errors.toPath())).isZero();
    return output.toPath();
  }

  private static String script() throws URISyntaxException {
    return Path.of(PlyvelPeerTest.class.getResource("/peer/peer.py").toURI()).toString();
  }
}

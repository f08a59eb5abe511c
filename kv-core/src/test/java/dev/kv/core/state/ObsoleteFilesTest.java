package dev.kv.core.state;

import static java.util.concurrent.TimeUnit.MINUTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.Options;
import dev.kv.core.EnvFiles;
import dev.kv.core.db.DbTestBase;
import dev.kv.core.env.FileNames;
import dev.kv.core.event.Events;
import dev.kv.core.key.InternalKey;
import dev.kv.core.key.ValueKind;
import dev.kv.core.logging.CapturedLog;
import dev.kv.core.manifest.NewDatabase;
import dev.kv.core.manifest.VersionInstall;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.version.FileMetadata;
import dev.kv.core.version.VersionEdit;
import dev.kv.core.write.ErrorHandler;
import dev.kv.env.Env;
import dev.kv.event.DBEvent;
import dev.kv.event.TableDeletedEvent;
import dev.kv.testing.FaultEnv;
import dev.kv.testing.FaultEnv.Fault;
import dev.kv.testing.FaultEnv.Kind;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Which files of a directory are deleted, and when. */
class ObsoleteFilesTest {
  private final FaultEnv env = new FaultEnv(Env.inMemory());
  private final Path directory = Path.of("/db");
  private final List<DBEvent> heard = new ArrayList<>();
  private final ErrorHandler errors = new ErrorHandler(new Events("db", null));
  private DatabaseContext context;
  private VersionSet versions;
  private ObsoleteFiles obsolete;

  @BeforeEach
  void createDatabase() throws IOException {
    env.createDirectory(directory);
    Options options = Options.builder().env(env).monitoring(m -> m.listener(heard::add)).build();
    context = new DatabaseContext(directory, options);
    NewDatabase.create(context.manifestContext());
    versions = new VersionSet(context.manifestContext(), () -> {});
    versions.recover(false);
    obsolete = new ObsoleteFiles(context, versions, errors, null);
  }

  @AfterEach
  void close() throws IOException {
    env.heal();
    Thread other = new Thread(obsolete::close); // no call has kept the lock
    other.setDaemon(true);
    other.start();
    DbTestBase.await("the lock", () -> !other.isAlive());
    versions.close();
    context.close();
  }

  /** Makes the version durable that the open has found. */
  private void makeDurable(long log) {
    VersionEdit edit = VersionEdit.builder().logNumber(log).previousLogNumber(0).build();
    versions.logAndApply(VersionInstall.of(edit, () -> {}));
  }

  private Path create(Path file) throws IOException {
    EnvFiles.write(env, file, new byte[1]);
    return file;
  }

  private boolean exists(Path file) throws IOException {
    return env.exists(file);
  }

  @Test
  void collect_beforeTheOpenIsDurableOrAfterAFailure_deletesNothing() throws IOException {
    Path table = create(FileNames.table(directory, 50));
    obsolete.collect();
    assertThat(exists(table)).isTrue();
    makeDurable(versions.newFileNumber());
    errors.fail("a write", new IOException("simulated"));
    obsolete.collect();
    assertThat(exists(table)).isTrue();
    assertThat(heard).isEmpty();
  }

  @Test
  void collect_ofTables_deletesThoseThatNothingUses() throws IOException {
    makeDurable(versions.newFileNumber());
    Path unused = create(FileNames.table(directory, 50));
    long number = obsolete.newPendingNumber();
    Path pending = create(FileNames.table(directory, number));
    Path note = create(directory.resolve("notes.txt"));
    Path infoLog = create(directory.resolve("LOG"));
    obsolete.collect();
    assertThat(exists(unused)).isFalse();
    assertThat(exists(pending)).isTrue();
    obsolete.settle(number);
    obsolete.collect();
    assertThat(exists(pending)).isFalse();
    assertThat(exists(note)).isTrue();
    assertThat(exists(infoLog)).isTrue();
    assertThat(exists(FileNames.current(directory))).isTrue();
    assertThat(obsolete.stuck()).isZero();
    context.events().deliverAll();
    assertThat(heard)
        .containsExactly(
            new TableDeletedEvent(directory.toString(), 50),
            new TableDeletedEvent(directory.toString(), number));
  }

  @Test
  void collect_ofATableOfTheVersion_keepsIt() throws IOException {
    long number = versions.newFileNumber();
    Path table = create(FileNames.table(directory, number));
    byte[] key = InternalKey.encode(new byte[] {'a'}, 1, ValueKind.VALUE);
    VersionEdit edit =
        VersionEdit.builder()
            .logNumber(versions.newFileNumber())
            .addFile(6, new FileMetadata(number, 1, key, key))
            .build();
    versions.logAndApply(VersionInstall.of(edit, () -> {}));
    obsolete.collect();
    assertThat(exists(table)).isTrue();
    edit = VersionEdit.builder().deleteFile(6, number).build();
    versions.logAndApply(VersionInstall.of(edit, () -> {}));
    obsolete.collect();
    assertThat(exists(table)).isFalse();
  }

  @Test
  void collect_ofLogs_deletesThoseBeforeTheOneOfTheManifest() throws IOException {
    long[] numbers = new long[4];
    Path[] logs = new Path[4];
    for (int i = 0; i < numbers.length; i++) {
      numbers[i] = i == 1 ? obsolete.newPendingNumber() : versions.newFileNumber();
      logs[i] = create(FileNames.log(directory, numbers[i]));
    }
    makeDurable(numbers[3]);
    ObsoleteFiles.Hold hold = new ObsoleteFiles.Hold(numbers[2], Long.MAX_VALUE);
    obsolete.hold(hold);
    obsolete.collect();
    assertThat(exists(logs[0])).isFalse();
    assertThat(exists(logs[1])).as("it is open").isTrue();
    assertThat(exists(logs[2])).as("a hold keeps it").isTrue();
    obsolete.settle(numbers[1]);
    obsolete.collect();
    assertThat(exists(logs[1])).isFalse();
    assertThat(exists(logs[2])).isTrue();
    obsolete.release(hold);
    obsolete.collect();
    assertThat(exists(logs[2])).isFalse();
    assertThat(exists(logs[3])).isTrue();
  }

  @Test
  void collect_ofManifestsAndTemporaryFiles_keepsTheCurrentAndTheHeldOnes() throws IOException {
    Path before = FileNames.manifest(directory, 1);
    assertThat(exists(before)).isTrue();
    ObsoleteFiles.Hold hold = new ObsoleteFiles.Hold(Long.MAX_VALUE, 1);
    obsolete.hold(hold);
    makeDurable(versions.newFileNumber());
    Path temporary = create(FileNames.temp(directory, 50));
    long number = obsolete.newPendingNumber();
    Path inUse = create(FileNames.temp(directory, number));
    obsolete.collect();
    assertThat(exists(before)).isTrue();
    assertThat(exists(temporary)).isTrue();
    obsolete.release(hold);
    obsolete.collectWithTemporary();
    assertThat(exists(before)).isFalse();
    assertThat(exists(FileNames.manifest(directory, versions.manifestNumber()))).isTrue();
    assertThat(exists(temporary)).isFalse();
    assertThat(exists(inUse)).isTrue();
  }

  @Test
  void logs_whoseOldestCannotBeDeleted_stayAndAreTriedAgain() throws IOException {
    Path first = create(FileNames.log(directory, versions.newFileNumber()));
    Path second = create(FileNames.log(directory, versions.newFileNumber()));
    makeDurable(versions.newFileNumber());
    env.fail(Fault.ERROR, 3, each -> each.kind() == Kind.DELETE && each.path().equals(first));
    try (CapturedLog log = new CapturedLog()) {
      obsolete.collect();
      assertThat(obsolete.stuck()).isEqualTo(1);
      assertThat(log.lines("WARN")).as("the first time").isEmpty();
      obsolete.collect();
      obsolete.collect();
      assertThat(log.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("cannot delete the obsolete file " + first));
    }
    assertThat(exists(first)).isTrue();
    assertThat(exists(second)).isTrue();
    obsolete.collect();
    assertThat(exists(first)).isFalse();
    assertThat(exists(second)).isFalse();
    assertThat(obsolete.stuck()).isZero();
  }

  @Test
  void stuck_whileFilesAreDeleted_isThatOfTheLastCollection() throws IOException {
    makeDurable(versions.newFileNumber());
    create(FileNames.table(directory, 50));
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.DELETE);
    obsolete.collect();
    List<Integer> stuck = new ArrayList<>();
    env.watch(
        each -> {
          if (each.kind() == Kind.DELETE) {
            stuck.add(CompletableFuture.supplyAsync(obsolete::stuck).orTimeout(1, MINUTES).join());
          }
        });
    obsolete.collect();
    assertThat(stuck).containsExactly(1);
    assertThat(obsolete.stuck()).isZero();
  }

  @Test
  void collect_ofADirectoryThatCannotBeListed_warnsAndDeletesNothing() throws IOException {
    makeDurable(versions.newFileNumber());
    Path table = create(FileNames.table(directory, 50));
    env.fail(Fault.ERROR, 1, each -> each.kind() == Kind.LIST);
    try (CapturedLog log = new CapturedLog()) {
      obsolete.collect();
      assertThat(log.lines("WARN"))
          .singleElement()
          .satisfies(line -> assertThat(line).contains("cannot list the directory"));
    }
    assertThat(exists(table)).isTrue();
    obsolete.collect();
    assertThat(exists(table)).isFalse();
  }

  @Test
  void collect_afterTheClose_deletesNothing() throws IOException {
    makeDurable(versions.newFileNumber());
    Path table = create(FileNames.table(directory, 50));
    obsolete.close();
    obsolete.collect();
    obsolete.collectWithTemporary();
    assertThat(exists(table)).isTrue();
  }
}

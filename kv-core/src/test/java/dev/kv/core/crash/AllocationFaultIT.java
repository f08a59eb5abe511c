package dev.kv.core.crash;

import static org.assertj.core.api.Assertions.assertThat;

import dev.kv.core.Children;
import dev.kv.core.background.Flusher;
import java.io.File;
import java.io.IOException;
import java.net.URISyntaxException;
import java.nio.charset.StandardCharsets;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.api.io.TempDir;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassVisitor;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;

/**
 * Runs {@link AllocationSweep} and {@link AllocationLeakSweep} in a JVM in which most classes that
 * write, flush and read call {@link Allocations#next} at each allocation. The changed classes come
 * before the engine on its class path.
 */
@EnabledIfSystemProperty(named = "kv.long", matches = "true")
class AllocationFaultIT {
  private static final List<String> CHANGED =
      List.of(
          "memory/",
          "write/",
          "state/",
          "batch/",
          "memtable/",
          "log/",
          "manifest/",
          "compaction/",
          "change/",
          "read/DBIter",
          "read/DatabaseReader",
          "read/EntryScan",
          "read/OpenIterators",
          "read/PinnedView",
          "read/ReadContext",
          "read/RecentMemTables",
          "transaction/",
          "table/",
          "version/VersionEditCodec",
          "background/Flusher",
          "background/BackgroundWorker",
          "background/Compactor",
          "background/JobContext",
          "background/JobOutcome",
          "background/MaintenanceTask",
          "shared/");

  private static final String TEST_RUN = "dev.kv.core.mutation.TestRun";
  private static final int MINUTES = 20;

  /**
   * Methods that are not changed: a class whose initializer fails would stay unusable, and the
   * others allocate only for the checks of tests.
   */
  private static final Set<String> NOT_CHANGED =
      Set.of("<clinit>", "recordAllocation", "successor", "deallocate");

  /** Methods of the JDK that allocate. */
  private static final Set<String> ALLOCATING =
      Set.of("iterator", "valueOf", "of", "copyOf", "stream", "toList", "newCondition");

  @TempDir Path temp;

  @Test
  void allocations_failing_loseNothing() throws Exception {
    Path classes = Files.createDirectory(temp.resolve("classes"));
    change(classes);
    Path output = temp.resolve("output");
    List<String> command =
        Children.command(
            List.of("-Xmx512m", "-ea", "-XX:TieredStopAtLevel=1", "-Dkv.invariants=true"),
            classes + File.pathSeparator + System.getProperty("java.class.path"),
            TEST_RUN,
            List.of(
                "crash." + AllocationSweep.class.getSimpleName(),
                "crash." + AllocationLeakSweep.class.getSimpleName()));
    Process child =
        Children.builder(command).redirectErrorStream(true).redirectOutput(output.toFile()).start();
    boolean ended = child.waitFor(MINUTES, TimeUnit.MINUTES);
    if (!ended) {
      child.destroyForcibly().waitFor();
    }
    String text = Files.readString(output, StandardCharsets.ISO_8859_1);
    assertThat(ended).as("ends in %d minutes\n%s", MINUTES, text).isTrue();
    assertThat(child.exitValue()).as(text).isZero();
  }

  /** Writes the changed classes below {@code target}. */
  static void change(Path target) throws IOException, URISyntaxException {
    Path engine =
        Path.of(Flusher.class.getProtectionDomain().getCodeSource().getLocation().toURI());
    try (FileSystem jar = Files.isDirectory(engine) ? null : FileSystems.newFileSystem(engine)) {
      Path from = jar == null ? engine : jar.getPath("/");
      Path root = from.resolve("dev/kv/core");
      List<Path> files;
      try (Stream<Path> all = Files.walk(root)) {
        files = all.filter(file -> isChanged(root, file)).toList();
      }
      assertThat(files).hasSizeGreaterThan(CHANGED.size());
      for (Path file : files) {
        Path changed = target.resolve(from.relativize(file).toString());
        Files.createDirectories(changed.getParent());
        Files.write(changed, changed(Files.readAllBytes(file)));
      }
    }
  }

  private static boolean isChanged(Path root, Path file) {
    String name = root.relativize(file).toString().replace(File.separatorChar, '/');
    return name.endsWith(".class") && CHANGED.stream().anyMatch(name::startsWith);
  }

  private static byte[] changed(byte[] classFile) {
    ClassReader reader = new ClassReader(classFile);
    ClassWriter writer = new ClassWriter(reader, 0);
    reader.accept(
        new ClassVisitor(Opcodes.ASM9, writer) {
          @Override
          public MethodVisitor visitMethod(
              int access, String name, String descriptor, String signature, String[] exceptions) {
            MethodVisitor method =
                super.visitMethod(access, name, descriptor, signature, exceptions);
            return NOT_CHANGED.contains(name) ? method : new BeforeAllocations(method);
          }
        },
        0);
    return writer.toByteArray();
  }

  private static final class BeforeAllocations extends MethodVisitor {
    BeforeAllocations(MethodVisitor method) {
      super(Opcodes.ASM9, method);
    }

    private void call() {
      super.visitMethodInsn(
          Opcodes.INVOKESTATIC, Type.getInternalName(Allocations.class), "next", "()V", false);
    }

    @Override
    public void visitTypeInsn(int opcode, String type) {
      super.visitTypeInsn(opcode, type);
      if (opcode == Opcodes.NEW || opcode == Opcodes.ANEWARRAY) {
        call(); // after it: the stack maps name the place of a NEW
      }
    }

    @Override
    public void visitIntInsn(int opcode, int operand) {
      if (opcode == Opcodes.NEWARRAY) {
        call();
      }
      super.visitIntInsn(opcode, operand);
    }

    @Override
    public void visitInvokeDynamicInsn(
        String name, String descriptor, Handle handle, Object... arguments) {
      call();
      super.visitInvokeDynamicInsn(name, descriptor, handle, arguments);
    }

    @Override
    public void visitMethodInsn(
        int opcode, String owner, String name, String descriptor, boolean isInterface) {
      if (owner.startsWith("java/") && ALLOCATING.contains(name)) {
        call();
      }
      super.visitMethodInsn(opcode, owner, name, descriptor, isInterface);
    }
  }
}

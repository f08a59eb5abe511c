import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.jar.JarFile;
import java.util.zip.CRC32;
import java.util.zip.ZipEntry;
import java.util.zip.ZipFile;
import java.util.zip.ZipOutputStream;
import org.objectweb.asm.ClassReader;
import org.objectweb.asm.ClassWriter;
import org.objectweb.asm.Handle;
import org.objectweb.asm.MethodVisitor;
import org.objectweb.asm.Opcodes;
import org.objectweb.asm.Type;
import org.objectweb.asm.tree.AbstractInsnNode;
import org.objectweb.asm.tree.ClassNode;
import org.objectweb.asm.tree.FieldInsnNode;
import org.objectweb.asm.tree.InvokeDynamicInsnNode;
import org.objectweb.asm.tree.MethodInsnNode;
import org.objectweb.asm.tree.MethodNode;

/**
 * Gives each lambda expression and method reference in a jar a class of its own, and writes the jar
 * again without compression and without the names of local variables, which only debuggers want.
 * The JVM makes these classes otherwise, when an expression is first evaluated; a process that
 * opens a database, writes an entry and closes it spends a tenth of its time on that.
 *
 * <p>What an expression becomes is specified by java.lang.invoke.LambdaMetafactory. A class made
 * here has the captured values as fields and calls the same method; it is a nestmate of the class
 * that it was made for, because that method is private as a rule. One that captures nothing has one
 * instance, as with the JVM. Expressions that are serializable or have several interfaces stay as
 * they are, and so do those of classes for Java 10 and earlier, which know no nestmates.
 *
 * <p>Run by Maven with the class path of ASM: {@code java --class-path ... LambdaClasses.java JAR}.
 */
final class LambdaClasses {
  private static final int FIRST_WITH_NESTMATES = Opcodes.V11;
  private static final String SUFFIX = ".class";

  private final Map<String, ClassNode> classes = new LinkedHashMap<>();
  private int made;
  private int left;

  private LambdaClasses() {}

  public static void main(String[] arguments) throws IOException {
    Path jar = Path.of(arguments[0]);
    Path rewritten = Path.of(jar + ".rewritten");
    LambdaClasses lambdas = new LambdaClasses();
    try (ZipFile in = new ZipFile(jar.toFile());
        ZipOutputStream out = new ZipOutputStream(Files.newOutputStream(rewritten))) {
      lambdas.rewrite(in, out);
    }
    Files.move(rewritten, jar, StandardCopyOption.REPLACE_EXISTING);
    System.out.println(
        jar.getFileName() + ": classes for " + lambdas.made + " expressions, not for "
            + lambdas.left);
    if (lambdas.made == 0) {
      throw new IllegalStateException("no lambda expression was found in " + jar);
    }
  }

  private void rewrite(ZipFile in, ZipOutputStream out) throws IOException {
    out.setMethod(ZipOutputStream.STORED);
    List<ZipEntry> entries = new ArrayList<>(Collections.list(in.entries()));
    // The manifest is first, as readers of a stream expect it
    entries.sort((a, b) -> Boolean.compare(isManifest(b), isManifest(a)));
    for (ZipEntry entry : entries) {
      if (entry.getName().endsWith(SUFFIX) && !entry.getName().startsWith("META-INF/")) {
        ClassNode host = new ClassNode();
        new ClassReader(bytes(in, entry)).accept(host, 0);
        host.methods.forEach(method -> method.localVariables = null);
        classes.put(host.name, host);
      }
    }
    Map<String, Map<String, byte[]>> additions = new LinkedHashMap<>();
    for (ClassNode host : classes.values()) {
      additions.put(host.name + SUFFIX, replaceExpressions(host));
    }
    for (ZipEntry entry : entries) {
      ClassNode host = classes.get(entry.getName().replaceFirst("[.]class$", ""));
      if (host == null) {
        write(out, entry, entry.getName(), bytes(in, entry));
        continue;
      }
      ClassWriter writer = new ClassWriter(0);
      host.accept(writer);
      write(out, entry, entry.getName(), writer.toByteArray());
      for (Map.Entry<String, byte[]> added : additions.get(entry.getName()).entrySet()) {
        write(out, entry, added.getKey() + SUFFIX, added.getValue());
      }
    }
  }

  private static boolean isManifest(ZipEntry entry) {
    return entry.getName().equals(JarFile.MANIFEST_NAME);
  }

  private static byte[] bytes(ZipFile in, ZipEntry entry) throws IOException {
    try (InputStream content = in.getInputStream(entry)) {
      return content.readAllBytes();
    }
  }

  /** Writes an entry with the time of {@code like}, so that a build gives the same jar again. */
  private static void write(ZipOutputStream out, ZipEntry like, String name, byte[] bytes)
      throws IOException {
    CRC32 checksum = new CRC32();
    checksum.update(bytes);
    ZipEntry entry = new ZipEntry(name);
    entry.setTimeLocal(like.getTimeLocal());
    entry.setSize(bytes.length);
    entry.setCrc(checksum.getValue());
    out.putNextEntry(entry);
    out.write(bytes);
    out.closeEntry();
  }

  /** Replaces the expressions of a class, and returns the classes that they became. */
  private Map<String, byte[]> replaceExpressions(ClassNode host) {
    Map<String, byte[]> added = new LinkedHashMap<>();
    for (MethodNode method : host.methods) {
      for (AbstractInsnNode instruction : method.instructions.toArray()) {
        if (!(instruction instanceof InvokeDynamicInsnNode)) {
          continue;
        }
        InvokeDynamicInsnNode call = (InvokeDynamicInsnNode) instruction;
        if (!call.bsm.getOwner().equals("java/lang/invoke/LambdaMetafactory")) {
          continue;
        }
        String name = host.name + "$$L" + added.size();
        Expression expression = new Expression(name, nest(host).name, call);
        byte[] bytes =
            call.bsm.getName().equals("metafactory")
                    && (host.version & 0xffff) >= FIRST_WITH_NESTMATES
                ? expression.toClass()
                : null;
        if (bytes == null) {
          left++;
          continue;
        }
        made++;
        added.put(name, bytes);
        addMember(nest(host), name);
        method.instructions.set(instruction, expression.evaluation());
      }
    }
    return added;
  }

  private ClassNode nest(ClassNode host) {
    return host.nestHostClass == null ? host : classes.get(host.nestHostClass);
  }

  private static void addMember(ClassNode nest, String name) {
    if (nest.nestMembers == null) {
      nest.nestMembers = new ArrayList<>();
    }
    nest.nestMembers.add(name);
  }

  /** An expression: what it captures, the interface it implements, and the method it calls. */
  private static final class Expression {
    private final String name;
    private final String nest;
    private final InvokeDynamicInsnNode call;
    private final Type[] captured;
    private final String constructor;
    private final Handle target;

    Expression(String name, String nest, InvokeDynamicInsnNode call) {
      this.name = name;
      this.nest = nest;
      this.call = call;
      captured = Type.getArgumentTypes(call.desc);
      constructor = Type.getMethodDescriptor(Type.VOID_TYPE, captured);
      target = (Handle) call.bsmArgs[1];
    }

    /** Returns the instruction that takes the captured values and gives the instance. */
    AbstractInsnNode evaluation() {
      return captured.length == 0
          ? new FieldInsnNode(Opcodes.GETSTATIC, name, "INSTANCE", "L" + name + ";")
          : new MethodInsnNode(Opcodes.INVOKESTATIC, name, "of", call.desc, false);
    }

    /** Returns the class, or null if a value needs a conversion that is not known here. */
    byte[] toClass() {
      ClassWriter writer = new ClassWriter(ClassWriter.COMPUTE_MAXS);
      Type implemented = Type.getReturnType(call.desc);
      writer.visit(
          Opcodes.V17,
          Opcodes.ACC_FINAL | Opcodes.ACC_SYNTHETIC,
          name,
          null,
          "java/lang/Object",
          new String[] {implemented.getInternalName()});
      writer.visitNestHost(nest);
      for (int i = 0; i < captured.length; i++) {
        int access = Opcodes.ACC_PRIVATE | Opcodes.ACC_FINAL;
        writer.visitField(access, "f" + i, captured[i].getDescriptor(), null, null).visitEnd();
      }
      writeConstructor(writer.visitMethod(Opcodes.ACC_PRIVATE, "<init>", constructor, null, null));
      if (captured.length == 0) {
        int access = Opcodes.ACC_STATIC | Opcodes.ACC_FINAL;
        writer.visitField(access, "INSTANCE", "L" + name + ";", null, null).visitEnd();
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "<clinit>", "()V", null, null);
        writeCreation(code);
        code.visitFieldInsn(Opcodes.PUTSTATIC, name, "INSTANCE", "L" + name + ";");
        end(code, Type.VOID_TYPE);
      } else {
        MethodVisitor code = writer.visitMethod(Opcodes.ACC_STATIC, "of", call.desc, null, null);
        writeCreation(code);
        end(code, implemented);
      }
      Type erased = (Type) call.bsmArgs[0];
      MethodVisitor code =
          writer.visitMethod(Opcodes.ACC_PUBLIC, call.name, erased.getDescriptor(), null, null);
      if (!writeCall(code, erased, (Type) call.bsmArgs[2])) {
        return null;
      }
      writer.visitEnd();
      return writer.toByteArray();
    }

    private void writeConstructor(MethodVisitor code) {
      code.visitCode();
      code.visitVarInsn(Opcodes.ALOAD, 0);
      code.visitMethodInsn(Opcodes.INVOKESPECIAL, "java/lang/Object", "<init>", "()V", false);
      int slot = 1;
      for (int i = 0; i < captured.length; i++) {
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitVarInsn(captured[i].getOpcode(Opcodes.ILOAD), slot);
        code.visitFieldInsn(Opcodes.PUTFIELD, name, "f" + i, captured[i].getDescriptor());
        slot += captured[i].getSize();
      }
      end(code, Type.VOID_TYPE);
    }

    private void writeCreation(MethodVisitor code) {
      code.visitCode();
      code.visitTypeInsn(Opcodes.NEW, name);
      code.visitInsn(Opcodes.DUP);
      int slot = 0;
      for (Type type : captured) {
        code.visitVarInsn(type.getOpcode(Opcodes.ILOAD), slot);
        slot += type.getSize();
      }
      code.visitMethodInsn(Opcodes.INVOKESPECIAL, name, "<init>", constructor, false);
    }

    /** Writes the call of the method with the captured values and the arguments. */
    private boolean writeCall(MethodVisitor code, Type erased, Type instantiated) {
      code.visitCode();
      boolean isConstructor = target.getTag() == Opcodes.H_NEWINVOKESPECIAL;
      if (isConstructor) {
        code.visitTypeInsn(Opcodes.NEW, target.getOwner());
        code.visitInsn(Opcodes.DUP);
      }
      List<Type> wanted = new ArrayList<>();
      if (!isConstructor && target.getTag() != Opcodes.H_INVOKESTATIC) {
        wanted.add(Type.getObjectType(target.getOwner()));
      }
      Collections.addAll(wanted, Type.getArgumentTypes(target.getDesc()));
      int next = 0;
      for (int i = 0; i < captured.length; i++) {
        code.visitVarInsn(Opcodes.ALOAD, 0);
        code.visitFieldInsn(Opcodes.GETFIELD, name, "f" + i, captured[i].getDescriptor());
        if (!convert(code, captured[i], captured[i], wanted.get(next++))) {
          return false;
        }
      }
      Type[] parameters = erased.getArgumentTypes();
      Type[] known = instantiated.getArgumentTypes();
      int slot = 1;
      for (int i = 0; i < parameters.length; i++) {
        code.visitVarInsn(parameters[i].getOpcode(Opcodes.ILOAD), slot);
        slot += parameters[i].getSize();
        if (!convert(code, parameters[i], known[i], wanted.get(next++))) {
          return false;
        }
      }
      code.visitMethodInsn(
          opcode(), target.getOwner(), target.getName(), target.getDesc(), target.isInterface());
      Type result =
          isConstructor
              ? Type.getObjectType(target.getOwner())
              : Type.getReturnType(target.getDesc());
      Type returned = erased.getReturnType();
      if (returned.getSort() == Type.VOID) {
        drop(code, result);
      } else if (!convert(code, result, result, returned)) {
        return false;
      }
      end(code, returned);
      return true;
    }

    private int opcode() {
      if (target.getTag() == Opcodes.H_INVOKESTATIC) {
        return Opcodes.INVOKESTATIC;
      }
      if (target.getTag() == Opcodes.H_NEWINVOKESPECIAL) {
        return Opcodes.INVOKESPECIAL;
      }
      return target.isInterface() ? Opcodes.INVOKEINTERFACE : Opcodes.INVOKEVIRTUAL;
    }

    private static void drop(MethodVisitor code, Type result) {
      if (result.getSize() > 0) {
        code.visitInsn(result.getSize() == 2 ? Opcodes.POP2 : Opcodes.POP);
      }
    }

    private static void end(MethodVisitor code, Type returned) {
      code.visitInsn(returned.getOpcode(Opcodes.IRETURN));
      code.visitMaxs(0, 0);
      code.visitEnd();
    }

    /**
     * Converts the value on the stack.
     *
     * @param has its type to the verifier
     * @param known its type to the compiler, which may be narrower
     */
    private static boolean convert(MethodVisitor code, Type has, Type known, Type wanted) {
      if (isPrimitive(has) && isPrimitive(wanted)) {
        if (has.getSort() == Type.INT && wanted.getSort() == Type.LONG) {
          code.visitInsn(Opcodes.I2L);
          return true;
        }
        return has.equals(wanted);
      }
      if (isPrimitive(has)) {
        String box = box(has);
        String descriptor = "(" + has.getDescriptor() + ")L" + box + ";";
        code.visitMethodInsn(Opcodes.INVOKESTATIC, box, "valueOf", descriptor, false);
        return true;
      }
      if (!isPrimitive(wanted)) {
        if (!has.equals(wanted) && !wanted.getInternalName().equals("java/lang/Object")) {
          code.visitTypeInsn(Opcodes.CHECKCAST, wanted.getInternalName());
        }
        return true;
      }
      String box = box(wanted);
      if (!known.getInternalName().equals(box)) {
        return false;
      }
      code.visitTypeInsn(Opcodes.CHECKCAST, box);
      String method = wanted.getClassName() + "Value";
      code.visitMethodInsn(
          Opcodes.INVOKEVIRTUAL, box, method, "()" + wanted.getDescriptor(), false);
      return true;
    }

    private static boolean isPrimitive(Type type) {
      return type.getSort() < Type.ARRAY; // void is not asked for
    }

    private static String box(Type primitive) {
      switch (primitive.getSort()) {
        case Type.BOOLEAN:
          return "java/lang/Boolean";
        case Type.BYTE:
          return "java/lang/Byte";
        case Type.CHAR:
          return "java/lang/Character";
        case Type.SHORT:
          return "java/lang/Short";
        case Type.INT:
          return "java/lang/Integer";
        case Type.LONG:
          return "java/lang/Long";
        case Type.FLOAT:
          return "java/lang/Float";
        default:
          return "java/lang/Double";
      }
    }
  }
}

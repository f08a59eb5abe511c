package dev.kv.core.codec;

import dev.kv.core.logging.EngineLogger;
import java.io.File;
import java.io.IOException;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.nio.file.Files;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.xerial.snappy.Snappy;
import org.xerial.snappy.SnappyLoader;
import org.xerial.snappy.SnappyNative;

/** Snappy through snappy-java. Thread-safe. */
final class NativeSnappy {
  /** The first JDK that warns of a native library loaded without permission. */
  private static final int FIRST_WARNING_VERSION = 24;

  /** More than the largest library takes that snappy-java unpacks. */
  private static final long UNPACKED_SIZE = 2 << 20;

  /** True from when {@link #loaded} stays as it is. */
  private static volatile boolean decided;

  private static @Nullable NativeSnappy loaded;

  private final SnappyNative library;

  private NativeSnappy(SnappyNative library) {
    this.library = library;
  }

  /**
   * Returns the codec, or null if the library does not load, or would print to standard error:
   * snappy-java prints why it cannot unpack its library, as versions before 1.1 print that they
   * cannot load it on this JDK; and the JVM warns, from 24 on, of native libraries that
   * --enable-native-access does not allow. Loads the library at its first use. If memory or file
   * descriptors are short then, returns null, and the next use tries again.
   */
  static @Nullable NativeSnappy instance() {
    return decided ? loaded : load();
  }

  private static synchronized @Nullable NativeSnappy load() {
    if (!decided) {
      try {
        loaded = loadIfPossible();
        decided = true;
      } catch (IOException | VirtualMachineError shortage) {
        return null;
      }
    }
    return loaded;
  }

  private static @Nullable NativeSnappy loadIfPossible() throws IOException {
    try {
      // Before all else: without the class, nothing else is needed
      Module module = Snappy.class.getModule();
      if (definesClassesOfOthers()) {
        return without("it is older than 1.1, which needs JDK 15 or older");
      }
      if (!isNativeAccessEnabled(module)) {
        return without("--enable-native-access is not given");
      }
      if (!canUnpack()) {
        return without("its directory for temporary files is full or not writable");
      }
      Snappy.maxCompressedLength(0); // loads the library
      return new NativeSnappy(new SnappyNative());
    } catch (LinkageError | RuntimeException absent) {
      return without(absent.toString());
    } catch (Error e) {
      // SnappyError; the code must not refer to it, because its class can be absent.
      if (e instanceof VirtualMachineError) {
        throw e;
      }
      return without(e.toString());
    }
  }

  /** Before 1.1, it defines a class in another class loader, to which the JDK denies it access. */
  private static boolean definesClassesOfOthers() {
    try {
      return SnappyLoader.class.getDeclaredMethod("injectSnappyNativeLoader") != null;
    } catch (NoSuchMethodException e) {
      return false;
    }
  }

  /** Calls Module.isNativeAccessEnabled on JDKs that warn of loading a library without it. */
  private static boolean isNativeAccessEnabled(Module module) {
    if (Runtime.version().feature() < FIRST_WARNING_VERSION) {
      return true;
    }
    try {
      return (boolean)
          MethodHandles.publicLookup()
              .findVirtual(
                  Module.class, "isNativeAccessEnabled", MethodType.methodType(boolean.class))
              .invokeExact(module);
    } catch (Throwable e) {
      throw new IllegalStateException("Module.isNativeAccessEnabled is missing", e);
    }
  }

  /**
   * Returns true if the library can be unpacked. Not by createTempFile: its random numbers stay
   * unusable, for the whole process, if no file descriptor is free at their first use.
   *
   * @throws IOException if no file can be opened in a directory that is writable
   */
  private static boolean canUnpack() throws IOException {
    if (System.getProperty("org.xerial.snappy.lib.path") != null
        || Boolean.getBoolean("org.xerial.snappy.use.systemlib")) {
      return true;
    }
    File directory =
        new File(
            System.getProperty(
                "org.xerial.snappy.tempdir", System.getProperty("java.io.tmpdir", ".")));
    if (!directory.canWrite() || directory.getUsableSpace() < UNPACKED_SIZE) {
      return false;
    }
    String name = "kv-" + ProcessHandle.current().pid() + "-" + System.nanoTime();
    Files.delete(Files.createFile(directory.toPath().resolve(name)));
    return true;
  }

  private static @Nullable NativeSnappy without(String reason) {
    EngineLogger.of(NativeSnappy.class)
        .info("snappy-java is not used, the Java codec is used instead: {}", reason);
    return null;
  }

  /**
   * Requires room for the most that the library can write: it does not check the end of the target.
   */
  int compress(ByteBuffer source, int length, ByteBuffer target, int targetOffset) {
    Objects.checkFromIndexSize(0, length, source.capacity());
    Objects.checkFromIndexSize(
        targetOffset, JavaSnappy.maxCompressedLength(length), target.capacity());
    try {
      return library.rawCompress(source, 0, length, target, targetOffset);
    } catch (IOException e) {
      throw new AssertionError("snappy failed to compress", e);
    }
  }

  /**
   * Requires that the stream states exactly {@code targetLength}: the library writes as much as is
   * stated.
   */
  void uncompress(ByteBuffer source, int length, ByteBuffer target, int targetLength)
      throws MalformedBlockException {
    Objects.checkFromIndexSize(0, length, source.capacity());
    Objects.checkFromIndexSize(0, targetLength, target.capacity());
    if (JavaSnappy.uncompressedLength(source, length) != targetLength) {
      throw new MalformedBlockException("snappy block of another length");
    }
    try {
      if (library.rawUncompress(source, 0, length, target, 0) != targetLength) {
        throw new MalformedBlockException("snappy block ends early");
      }
    } catch (IOException e) {
      throw new MalformedBlockException("snappy block does not decompress: " + e.getMessage());
    }
  }
}

package dev.kv.core.env;

import java.io.IOException;
import java.lang.reflect.Field;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.nio.ByteBuffer;
import java.nio.MappedByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.channels.FileChannel.MapMode;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;

/**
 * Maps files in a way that lets this runtime unmap them at a known moment. From Java 22 on it uses
 * a shared arena of java.lang.foreign, by reflection because this code is compiled for 17. On older
 * runtimes it uses the cleaner of the buffer, through sun.misc.Unsafe, which is used for nothing
 * else.
 */
abstract class Mapper {
  private static final int FIRST_WITH_ARENAS = 22;

  Mapper() {}

  /**
   * Returns the mapper for this runtime, or null if the runtime cannot unmap memory; then no file
   * is mapped.
   */
  static @Nullable Mapper forRuntime() {
    try {
      return Runtime.version().feature() >= FIRST_WITH_ARENAS ? new Arenas() : new Cleaners();
    } catch (ReflectiveOperationException | RuntimeException e) {
      if (thrown(e) instanceof VirtualMachineError lackOfMemory) {
        throw lackOfMemory; // which says nothing about the runtime
      }
      return null;
    }
  }

  /**
   * Maps a part of {@code channel}'s file.
   *
   * @throws IOException if it cannot be mapped
   */
  abstract Mapping map(FileChannel channel, MapMode mode, long position, long size)
      throws IOException;

  /**
   * Returns false if a store into a mapping of {@code file} could find no space although the page
   * has some: if the file system copies on write, the first store after each write-back needs new
   * blocks. On a nearly full disk the store may wait for them for minutes, in a page fault, so that
   * the JVM cannot begin a safepoint.
   */
  final boolean allowsStores(Path file) {
    Path directory = file.toAbsolutePath().getParent();
    try {
      return directory == null || !copiesOnWrite(fileSystemType(directory));
    } catch (IOException | SecurityException e) {
      return true; // the list of mounts cannot be read, or there is no such directory
    }
  }

  /** Returns the name of the type of a directory's file system, such as ext4. */
  String fileSystemType(Path directory) throws IOException {
    return Files.getFileStore(directory).type();
  }

  private static boolean copiesOnWrite(String type) {
    return switch (type) {
      case "bcachefs", "btrfs", "nilfs2", "zfs" -> true;
      default -> false;
    };
  }

  /** Calls a method that declares no exception. */
  private static void call(Method method, Object target, Object... arguments) {
    try {
      method.invoke(target, arguments);
    } catch (ReflectiveOperationException e) {
      throw CloseAll.unchecked(thrown(e));
    }
  }

  /** Returns what a method threw, for an exception of its call by reflection. */
  private static Throwable thrown(Throwable e) {
    Throwable cause = e.getCause();
    return e instanceof InvocationTargetException && cause != null ? cause : e;
  }

  /** One shared arena per mapping. */
  private static final class Arenas extends Mapper {
    private final Method open;
    private final Method map;
    private final Method asBuffer;
    private final Method close;

    Arenas() throws ReflectiveOperationException {
      Class<?> arena = Class.forName("java.lang.foreign.Arena");
      Class<?> segment = Class.forName("java.lang.foreign.MemorySegment");
      open = arena.getMethod("ofShared");
      map = FileChannel.class.getMethod("map", MapMode.class, long.class, long.class, arena);
      asBuffer = segment.getMethod("asByteBuffer");
      close = arena.getMethod("close");
      close.invoke(open.invoke(null)); // a native image may have the class and refuse this
    }

    @Override
    Mapping map(FileChannel channel, MapMode mode, long position, long size) throws IOException {
      Object arena = null;
      try {
        Object opened = open.invoke(null);
        arena = opened;
        Object segment = map.invoke(channel, mode, position, size, opened);
        MappedByteBuffer buffer = (MappedByteBuffer) asBuffer.invoke(segment);
        return new Mapping(buffer, () -> call(close, opened));
      } catch (Throwable e) {
        if (arena != null) {
          call(close, arena);
        }
        throw unexpected(thrown(e));
      }
    }

    private static RuntimeException unexpected(Throwable e) throws IOException {
      if (e instanceof IOException io) {
        throw io;
      }
      if (e instanceof OutOfMemoryError) {
        throw new IOException("map failed", e);
      }
      return CloseAll.unchecked(e);
    }
  }

  /** The buffer's own cleaner. */
  private static final class Cleaners extends Mapper {
    private final Object unsafe;
    private final Method invokeCleaner;

    Cleaners() throws ReflectiveOperationException {
      Class<?> type = Class.forName("sun.misc.Unsafe");
      Field instance = type.getDeclaredField("theUnsafe");
      instance.setAccessible(true);
      unsafe = instance.get(null);
      invokeCleaner = type.getMethod("invokeCleaner", ByteBuffer.class);
    }

    @Override
    Mapping map(FileChannel channel, MapMode mode, long position, long size) throws IOException {
      MappedByteBuffer buffer;
      try {
        buffer = channel.map(mode, position, size);
      } catch (OutOfMemoryError e) {
        throw new IOException("map failed", e);
      }
      return new Mapping(buffer, () -> call(invokeCleaner, unsafe, buffer));
    }
  }
}

package dev.kv.core.env;

import dev.kv.env.MappedLogFile;
import dev.kv.env.WritableFile;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.Path;

/**
 * The main class of a child process whose files may not grow over a limit of the operating system.
 * It prints {@code ok}, or what went otherwise than it must.
 */
final class LimitedWriter {
  private static final int BLOCK = 32 << 10;

  private LimitedWriter() {}

  /** Writes into the directory of the first argument until the limit is met. */
  public static void main(String[] args) throws IOException {
    Path dir = Path.of(args[0]);
    FileEnv env = new FileEnv(new CountingMapper());
    if (args.length > 1) {
      System.out.println(log(env, dir.resolve("l")));
      return;
    }
    System.out.println(appending(env, dir.resolve("f")) + mappedLog(env, dir.resolve("l")));
  }

  private static String log(FileEnv env, Path path) {
    try (MappedLogFile log = env.createMappedLog(path)) {
      return log == null ? "no mapping" : "log of " + log.reserved();
    } catch (IOException e) {
      return "failed";
    }
  }

  private static String appending(FileEnv env, Path path) throws IOException {
    WritableFile file = env.createWritable(path);
    int appended = 0;
    try {
      while (true) {
        file.append(ByteBuffer.allocate(BLOCK));
        file.flush();
        appended++;
      }
    } catch (IOException e) {
      if (appended < 10) {
        return "appended only " + appended;
      }
    }
    try {
      file.append(ByteBuffer.allocate(1));
      return "appended after a failure";
    } catch (IOException e) {
      file.close();
      return "o";
    }
  }

  private static String mappedLog(FileEnv env, Path path) throws IOException {
    ByteBuffer ones = ByteBuffer.allocateDirect(BLOCK);
    for (int i = 0; i < BLOCK; i++) {
      ones.put(i, (byte) 1);
    }
    MappedLogFile log = env.createMappedLog(path);
    if (log == null) {
      return "no log";
    }
    long stored = 0;
    try {
      while (true) {
        log.reserve(stored + BLOCK);
        log.store(stored, ones, 0, BLOCK);
        stored += BLOCK;
      }
    } catch (IOException e) {
      if (stored < 10 * BLOCK) {
        return "stored only " + stored;
      }
    }
    log.store(stored - BLOCK, ones, 0, BLOCK);
    log.sync(0, stored);
    log.cut(stored);
    log.close();
    return env.size(path) == stored ? "k" : "size " + env.size(path);
  }
}

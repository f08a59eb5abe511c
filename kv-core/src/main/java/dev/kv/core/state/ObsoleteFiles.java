package dev.kv.core.state;

import dev.kv.core.env.FileName;
import dev.kv.core.env.FileNames;
import dev.kv.core.manifest.VersionSet;
import dev.kv.core.write.WriteGate;
import dev.kv.env.Env;
import java.io.IOException;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Deletes the files that nothing needs any more: tables in no version in use, logs whose memtables
 * are in tables, MANIFESTs before the one in use. Files whose names do not parse are never touched.
 * Thread-safe.
 *
 * <p>Two rules make it safe. The directory is listed before it is asked what lives: a file that
 * came into being afterwards is not in the list, and one that was pending then is live by now. And
 * nothing is deleted while nobody knows which version a restart will find: before the recovered one
 * is durable, and after a background error, for which reason what a failed job wrote stays pending
 * too.
 */
public final class ObsoleteFiles {
  private static final Logger LOG = LoggerFactory.getLogger(ObsoleteFiles.class);

  private final Resources resources;
  private final VersionSet versions;
  private final WriteGate gate;

  /** The numbers of files that are being written and in no version yet. */
  private final Set<Long> pending = ConcurrentHashMap.newKeySet();

  /** Held by the one that collects. */
  private final ReentrantLock collecting = new ReentrantLock();

  /** Creates it; nothing is deleted before the first call of {@link #collect}. */
  public ObsoleteFiles(Resources resources, VersionSet versions, WriteGate gate) {
    this.resources = resources;
    this.versions = versions;
    this.gate = gate;
  }

  /** Returns the number for a new table, which is kept until {@link #settle}. */
  public long newPendingNumber() {
    while (true) {
      long number = versions.newFileNumber();
      if (pending.add(number)) {
        return number;
      }
    }
  }

  /** Ends the keeping of a file: it is in a version now, or of no use. */
  public void settle(long number) {
    pending.remove(number);
  }

  /** Deletes what is obsolete now. */
  public void collect() {
    collect(false);
  }

  /**
   * Deletes what is obsolete, and temporary files, which nobody but a crash can have left: so while
   * no MANIFEST is begun, at the open or in the first step after it.
   */
  public void collectWithTemporary() {
    collect(true);
  }

  private void collect(boolean withTemporary) {
    collecting.lock();
    try {
      deleteObsolete(withTemporary);
    } finally {
      collecting.unlock();
    }
  }

  private void deleteObsolete(boolean withTemporary) {
    Env env = resources.env();
    Path directory = resources.directory();
    List<String> names;
    try {
      names = env.list(directory);
    } catch (IOException e) {
      LOG.warn(
          "{}: obsolete files stay, the directory cannot be listed: {}", directory, e.toString());
      return;
    }
    Set<Long> live = new HashSet<>(pending);
    versions.forEachLiveFileNumber(live::add);
    if (!versions.isDurable()) {
      return;
    }
    if (gate.isFailed()) {
      return;
    }
    for (String name : names) {
      FileName parsed = FileNames.parse(name);
      if (parsed != null && isObsolete(parsed, live, withTemporary)) {
        delete(env, directory.resolve(name), parsed);
      }
    }
  }

  private boolean isObsolete(FileName file, Set<Long> live, boolean withTemporary) {
    return switch (file.kind()) {
      case LOG ->
          file.number() < versions.logNumber() && file.number() != versions.previousLogNumber();
      case MANIFEST -> file.number() < versions.manifestNumber();
      case TABLE -> !live.contains(file.number());
      case TEMP -> withTemporary;
      case CURRENT, LOCK, INFO_LOG -> false;
    };
  }

  private void delete(Env env, Path file, FileName parsed) {
    LOG.debug("deletes {}", file);
    if (parsed.kind() == FileName.Kind.TABLE) {
      resources.tables().evict(parsed.number());
    }
    try {
      env.delete(file);
    } catch (NoSuchFileException e) {
      LOG.debug("{} was gone already", file);
    } catch (IOException e) {
      LOG.warn("{} is obsolete and cannot be deleted: {}", file, e.toString());
    }
  }
}

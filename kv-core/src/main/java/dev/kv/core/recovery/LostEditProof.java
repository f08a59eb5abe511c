package dev.kv.core.recovery;

import dev.kv.core.env.FileNames;
import dev.kv.core.state.RetainedLogs;
import dev.kv.env.Env;
import dev.kv.errors.CorruptionException;
import java.io.IOException;
import java.nio.file.Path;

/**
 * What the records of the logs prove about the end of the MANIFEST. A {@link LogRecovery} notes
 * what it finds; then the MANIFEST is compared with it. For one thread.
 *
 * <pre>
 * 1. A log confirms a change of the tables that does not pass the log, after its edit was durable.
 *    A MANIFEST without the change has lost its end.
 * 2. Before the first record of an incarnation, the edit was durable after which earlier logs are
 *    not replayed. So if bytes of a log before are dropped, or if it begins late, the MANIFEST does
 *    not have that edit. The logs before are there because they are kept for readers of changes.
 * 3. A number that was taken for a change of the tables proves nothing, since its edit may have
 *    failed; but a MANIFEST that was read earlier may lack the change.
 * </pre>
 */
public final class LostEditProof {
  private final Env env;
  private final Path directory;
  private boolean foundTakenNumber;
  private long confirmed;
  private Path confirming;
  private long lastFound;
  private long firstDamaged = Long.MAX_VALUE;

  LostEditProof(Env env, Path directory) {
    this.env = env;
    this.directory = directory;
    this.confirming = directory;
  }

  /** Notes that a number after the tables was taken for a change of the tables. */
  void takenNumber() {
    foundTakenNumber = true;
  }

  /** Notes that a log confirms the change with a sequence number. */
  void confirms(Path log, long sequence) {
    if (sequence > confirmed) {
      confirmed = sequence;
      confirming = log;
    }
  }

  /** Notes that a log has a record, replayed or not. Logs come in the order of their numbers. */
  void hasRecord(long log) {
    lastFound = log;
  }

  /**
   * Notes that bytes of a log were dropped, or that records before it are missing. Recovery ends
   * there or goes on.
   */
  void damaged(long log) {
    firstDamaged = Math.min(firstDamaged, log);
  }

  /**
   * Returns true if a MANIFEST lacks a change that a log confirms, by 1.
   *
   * @param lastSequence the last sequence number in the MANIFEST; every edit with a change of the
   *     tables that does not pass the log has the change's number at least
   */
  public boolean lacksChange(long lastSequence) {
    return confirmed > lastSequence;
  }

  /** Returns true if an incarnation whose logs have a record began after a log. */
  public boolean hasIncarnationAfter(long log) throws IOException {
    return RetainedLogs.firstLogOf(env, directory, lastFound) > log;
  }

  /** Returns the number of the first log that was damaged, above all others if none. */
  long firstDamaged() {
    return firstDamaged;
  }

  /** Returns true if a MANIFEST that was read before the logs may lack an edit, by 2 or 3. */
  public boolean mayLackEdit() throws IOException {
    return foundTakenNumber || damagedBeforeIncarnation();
  }

  private boolean damagedBeforeIncarnation() throws IOException {
    return lastFound > firstDamaged && hasIncarnationAfter(firstDamaged);
  }

  /**
   * Throws if the logs prove that the MANIFEST has lost its end.
   *
   * @param lastSequence the last sequence number in the MANIFEST
   * @param manifest the file, for the message
   */
  public void requireEndOfManifest(long lastSequence, Path manifest) throws IOException {
    if (lacksChange(lastSequence)) {
      throw endLost(
          confirming.getFileName()
              + " confirms a bulk load, an ingest or a range delete with sequence number "
              + confirmed
              + ", which is not in it",
          manifest);
    }
    if (damagedBeforeIncarnation()) {
      throw endLost(
          "recovery ends in "
              + FileNames.log(directory, firstDamaged).getFileName()
              + ", drops bytes of it or misses records before it, and "
              + FileNames.log(directory, lastFound).getFileName()
              + " has writes of a later open, which are not to be replayed after it",
          manifest);
    }
  }

  private static CorruptionException endLost(String proof, Path manifest) {
    return new CorruptionException(
        "MANIFEST: its end is lost: " + proof + "; DB.repair rebuilds the database from the files",
        manifest.toString(),
        CorruptionException.NO_OFFSET);
  }
}

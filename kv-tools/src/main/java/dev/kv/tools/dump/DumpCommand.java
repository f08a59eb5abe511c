package dev.kv.tools.dump;

import dev.kv.core.inspect.DatabaseFile;
import dev.kv.errors.CorruptionException;
import dev.kv.tools.console.Failure;
import dev.kv.tools.console.Meter;
import dev.kv.tools.console.Output;
import dev.kv.tools.console.Progress;
import dev.kv.tools.database.DatabaseFiles;
import dev.kv.tools.database.KeyOrder;
import dev.kv.tools.text.Json;
import dev.kv.tools.text.Printable;
import dev.kv.tools.verify.FileVerifier;
import dev.kv.tools.verify.Finding;
import dev.kv.tools.verify.Verdict;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;

/** Prints the content of files of a database. */
@Command(
    name = "dump",
    description =
        "Print a summary of a log, MANIFEST, table, CURRENT or encoded batch, and its parts with"
            + " offsets,"
            + " sequence numbers and checksums. Damaged parts are shown with their offset, and the"
            + " dump continues after them. Exit 1 if anything is damaged.",
    mixinStandardHelpOptions = true)
public final class DumpCommand implements Callable<Integer> {
  /** The parts of which a file has many. */
  private static final Set<String> REPEATED =
      Set.of("block", "batch", "put", "delete", "entry", "malformed", "record");

  @Spec private CommandSpec spec;

  @Parameters(arity = "1..*", paramLabel = "FILE", description = "The files.")
  private List<Path> files = new ArrayList<>();

  @Option(
      names = "--format",
      paramLabel = "FORMAT",
      description = "text or json, one object for each part; default text.")
  private DumpFormat format = DumpFormat.TEXT;

  @Option(names = "--json", description = "Short for --format json.")
  void json(boolean json) {
    if (json) {
      format = DumpFormat.JSON;
    }
  }

  @Option(
      names = "--kind",
      description = "${COMPLETION-CANDIDATES}; default the kind that the file's name tells.")
  private @Nullable Kind kind;

  @Option(
      names = "--verify",
      description =
          "Print only damage: in checksums, and in tables also in the order of keys and the"
              + " filter.")
  private boolean verify;

  @Option(
      names = "--comparator",
      description =
          "The order that --verify checks; default the order that the table tells, or else the"
              + " MANIFEST in its directory.")
  private @Nullable KeyOrder order;

  @Option(
      names = "--user-keys",
      description = "The table is a stand-alone table, whose keys have no sequence numbers.")
  private boolean userKeys;

  @Option(
      names = "--entries",
      description = "Print every block, batch and entry too, not only their number.")
  private boolean entries;

  private final Meter meter = new Meter();

  /** The kinds of files. */
  enum Kind {
    LOG,
    MANIFEST,
    TABLE,
    CURRENT,
    BATCH
  }

  @Override
  public Integer call() throws IOException {
    if (verify && entries) {
      throw wrongUsage("give --verify or --entries, not both");
    }
    if (order != null && !verify) {
      throw wrongUsage("--comparator is the order that --verify checks");
    }
    boolean damaged = false;
    long bytes = 0;
    for (Path file : files) {
      BasicFileAttributes attributes = Files.readAttributes(file, BasicFileAttributes.class);
      if (attributes.isDirectory()) {
        throw new Failure(file + ": is a directory; name files in it");
      }
      if (!DatabaseFiles.isRegularFile(file)) {
        throw new Failure(file + ": not a file");
      }
      requireFit(file, kindOf(file));
      bytes += attributes.size();
    }
    try (Output out = new Output();
        Progress progress =
            Progress.printing("dump", verify ? bytes : 2 * bytes, meter::bytesRead)) {
      progress.begin();
      for (Path file : files) {
        damaged |= verify ? verify(file, kindOf(file), out) : dump(file, kindOf(file), out);
      }
    }
    return damaged ? 1 : 0;
  }

  private void requireFit(Path file, Kind is) {
    if (is != Kind.TABLE && (userKeys || order != null)) {
      throw wrongUsage(
          Printable.of(file.toString())
              + (userKeys ? ": --user-keys is for tables" : ": --comparator is for tables"));
    }
  }

  private ParameterException wrongUsage(String message) {
    return new ParameterException(spec.commandLine(), message);
  }

  private Kind kindOf(Path file) {
    if (kind != null) {
      return kind;
    }
    DatabaseFile name = DatabaseFile.parse(String.valueOf(file.getFileName()));
    DatabaseFile.Kind known = name == null ? DatabaseFile.Kind.LOCK : name.kind();
    return switch (known) {
      case LOG -> Kind.LOG;
      case MANIFEST -> Kind.MANIFEST;
      case TABLE -> Kind.TABLE;
      case CURRENT -> Kind.CURRENT;
      default ->
          throw wrongUsage(
              Printable.of(file.toString()) + ": its name does not tell its kind: use --kind");
    };
  }

  /** Prints a summary of the file and its parts, and returns true if it is damaged. */
  private boolean dump(Path file, Kind kind, Output out) throws IOException {
    Map<String, Long> counts = new LinkedHashMap<>();
    read(file, kind, new Parts((depth, type, members) -> counts.merge(type, 1L, Long::sum)));
    counts.remove("file");
    boolean all = entries || kind == Kind.BATCH;
    Parts parts =
        new Parts(
            (depth, type, members) -> {
              if (all || !REPEATED.contains(type)) {
                out.line(format.line(depth, type, members));
              }
              if (type.equals("file")) {
                out.line(format.line(0, "summary", counts));
              }
            });
    return read(file, kind, parts);
  }

  /** Passes on the parts of a file, and returns true if it is damaged. */
  private boolean read(Path file, Kind kind, Parts parts) throws IOException {
    RecordDump records = new RecordDump(meter, file, parts);
    parts.part(
        0,
        "file",
        "file",
        file.toString(),
        "kind",
        kind.name().toLowerCase(Locale.ROOT),
        "bytes",
        Files.size(file));
    switch (kind) {
      case LOG -> records.log();
      case MANIFEST -> records.manifest();
      case BATCH -> records.batch();
      case TABLE -> {
        TableDump table = new TableDump(meter, file, userKeys, parts);
        table.table();
        if (table.malformed() > 0) {
          parts.damage(
              table.malformedAt(),
              table.malformed()
                  + " keys without sequence number and type: --user-keys is for stand-alone"
                  + " tables");
        }
      }
      case CURRENT -> {
        try {
          parts.part(0, "current", "manifest", DatabaseFile.manifestNamedBy(meter, file));
        } catch (CorruptionException e) {
          parts.damage(e);
        }
      }
    }
    return parts.isDamaged();
  }

  /** Checks the file, prints the findings, and returns true if it is damaged. */
  private boolean verify(Path file, Kind kind, Output out) throws IOException {
    List<Finding> findings = new ArrayList<>();
    FileVerifier verifier = new FileVerifier(meter, order, findings::add);
    switch (kind) {
      case LOG -> verifier.log(file);
      case MANIFEST -> verifier.manifest(file);
      case TABLE -> verifier.table(file, userKeys);
      case CURRENT -> verifier.current(file);
      case BATCH -> throw wrongUsage("--verify needs a checksum, and a batch has none");
    }
    Verdict verdict = Verdict.of(findings);
    if (format == DumpFormat.JSON) {
      findings.forEach(finding -> out.line(Json.of(finding.members())));
    } else {
      findings.forEach(finding -> out.line(finding.line()));
      String text = verdict == Verdict.WHOLE ? "whole" : verdict.name();
      out.line(Printable.of(file.toString()) + ": " + text);
    }
    return verdict != Verdict.WHOLE;
  }
}

package dev.kv.tools.verify;

import dev.kv.tools.console.Colours;
import dev.kv.tools.console.Output;
import dev.kv.tools.database.DatabaseArguments;
import dev.kv.tools.text.Json;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** Checks every checksum of a database, and the invariants between its files. */
@Command(
    name = "verify",
    description =
        "Check a database: CURRENT, the MANIFEST, every checksum of every table and log, file"
            + " sizes, the order of keys, the invariants of the levels, that every key passes its"
            + " table's filter, and that an open accepts all of it. Changes nothing. Exit 1 if"
            + " anything is damaged.",
    mixinStandardHelpOptions = true)
public final class VerifyCommand implements Callable<Integer> {
  @Mixin private DatabaseArguments database;

  @Option(names = "--json", description = "Print one JSON object.")
  private boolean json;

  @Override
  public Integer call() throws IOException {
    database.requireRemains();
    database.noteWriter();
    Verifier verifier =
        new Verifier(database.directory(), database.requireComparator(), (key, value) -> {});
    verifier.run();
    try (Output out = new Output()) {
      if (json) {
        Map<String, Object> members = new LinkedHashMap<>();
        members.put("whole", verifier.isWhole());
        members.putAll(verifier.counts());
        members.put("findings", verifier.findings().stream().map(Finding::members).toList());
        out.line(Json.of(members));
      } else {
        verifier
            .findings()
            .forEach(
                finding ->
                    out.line(
                        finding.damage() ? Colours.wrongOutput(finding.line()) : finding.line()));
        out.line("checked " + verifier.summary());
        out.line(conclusion(verifier));
      }
    }
    return verifier.isWhole() ? 0 : 1;
  }

  private static String conclusion(Verifier verifier) {
    return switch (verifier.verdict()) {
      case WHOLE -> "whole";
      case DAMAGED ->
          Colours.wrongOutput(
              verifier.linksToNothing()
                  ? "DAMAGED: 'kv repair' refuses a table that is a link to nothing: restore what"
                      + " it leads to, or delete the link"
                  : "DAMAGED: 'kv repair' makes it open again with all that can be read");
      case UNSUPPORTED -> Colours.wrongOutput("UNSUPPORTED: " + verifier.advice());
    };
  }
}

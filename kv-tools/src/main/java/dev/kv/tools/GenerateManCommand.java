package dev.kv.tools;

import java.io.PrintWriter;
import java.util.Collection;
import java.util.Locale;
import java.util.Set;
import java.util.TreeMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Help;
import picocli.CommandLine.Help.Ansi;
import picocli.CommandLine.HelpCommand;
import picocli.CommandLine.Model.ArgSpec;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.Spec;

/** The command {@code generate-man}: prints the help of all commands in the language of man. */
@Command(
    name = "generate-man",
    mixinStandardHelpOptions = true,
    description = {
      "Print a manual page with all commands:",
      "  kv generate-man > /usr/local/share/man/man1/kv.1"
    })
final class GenerateManCommand implements Runnable {
  /** Options that every command has stand in one place. */
  private static final Set<String> COMMON = Set.of("--help", "--version", "--verbose");

  @Spec private CommandSpec spec;

  @Override
  public void run() {
    CommandSpec root = spec.root();
    PrintWriter out = spec.commandLine().getOut();
    String version = root.version()[0];
    out.println(".TH KV 1 \"\" \"" + escape(version) + "\" \"kv\"");
    out.println(".ad l\n.nh"); // no wide blanks, and no hyphens in names
    out.println(".SH NAME");
    out.println("kv \\- reads, writes and inspects LevelDB databases");
    out.println(".SH SYNOPSIS");
    out.println(".B kv\n.I COMMAND\n[\\fIOPTION\\fR]... [\\fIARGUMENT\\fR]...");
    out.println(".SH DESCRIPTION");
    text(out, root.usageMessage().description());
    out.println(".PP");
    text(out, root.usageMessage().footer());
    out.println(".SH OPTIONS");
    out.println("Every command has these.");
    root.options().forEach(option -> argument(out, option));
    out.println(".SH COMMANDS");
    commands(out, "kv", root);
    out.println(".SH ENVIRONMENT");
    out.println(".TP\n.B JAVA_OPTS\nFlags of the Java virtual machine, for the script kv.");
    out.println(".TP\n.B NO_COLOR\nIf set, nothing is printed in colour.");
    out.flush();
  }

  private static void commands(PrintWriter out, String parents, CommandSpec of) {
    // Unlike a spec's own map, in an order that the declaration does not change
    for (CommandLine command : new TreeMap<>(of.subcommands()).values()) {
      CommandSpec spec = command.getCommandSpec();
      if (command.getCommand() instanceof HelpCommand) {
        continue;
      }
      String name = parents + " " + spec.name();
      out.println(".SS " + escape(name));
      if (spec.subcommands().isEmpty()) {
        Help help = new Help(spec, Help.defaultColorScheme(Ansi.OFF));
        out.println(".B " + escape(name));
        String synopsis = help.synopsis(0).strip().replaceAll("\\s+", " ");
        out.println(escape(synopsis.substring(synopsis.indexOf(name) + name.length()).strip()));
        out.println(".PP");
      }
      text(out, spec.usageMessage().description());
      Collection<PositionalParamSpec> parameters = spec.positionalParameters();
      parameters.stream().filter(p -> !p.hidden()).forEach(p -> argument(out, p));
      spec.options().stream()
          .filter(option -> !option.hidden() && !COMMON.contains(option.longestName()))
          .forEach(option -> argument(out, option));
      commands(out, name, spec);
    }
  }

  private static void argument(PrintWriter out, ArgSpec argument) {
    out.println(".TP");
    String label = escape(argument.paramLabel());
    if (argument instanceof OptionSpec option) {
      String names = "\\fB" + escape(String.join(", ", option.names())) + "\\fR";
      out.println(names + (option.arity().max() == 0 ? "" : " \\fI" + label + "\\fR"));
    } else {
      out.println("\\fI" + label + "\\fR");
    }
    text(out, argument.description());
  }

  /** Prints lines of a help text, which are formats. */
  private static void text(PrintWriter out, String... lines) {
    for (String line : lines) {
      String text = String.format(Locale.ROOT, line).strip();
      if (!text.isEmpty()) {
        out.println(escape(text));
      }
    }
  }

  /** Returns a text without a meaning to roff; a line may begin with it. */
  private static String escape(String text) {
    String escaped =
        text.replace("\\", "\\e")
            .replace("-", "\\-")
            .replace("'", "\\(aq")
            .replace("`", "\\(ga")
            .replace("^", "\\(ha")
            .replace("~", "\\(ti");
    // A list without blanks may be longer than a line: it may break after a comma
    return escaped.replaceAll(",(?=\\S)", ",\\\\:").replaceAll("^[.]", "\\\\&.");
  }
}

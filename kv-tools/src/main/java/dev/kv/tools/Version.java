package dev.kv.tools;

import picocli.CommandLine.IVersionProvider;

/** The version in the manifest of the jar. */
final class Version implements IVersionProvider {
  /** Called by the command line parser. */
  Version() {}

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {"kv " + (version == null ? "(not from a jar)" : version)};
  }
}

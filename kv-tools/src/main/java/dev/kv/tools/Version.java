package dev.kv.tools;

import picocli.CommandLine.IVersionProvider;

/** The version that the jar's manifest holds. */
final class Version implements IVersionProvider {
  /** Made by the command line parser. */
  Version() {}

  @Override
  public String[] getVersion() {
    String version = Main.class.getPackage().getImplementationVersion();
    return new String[] {"kv " + (version == null ? "(not from a jar)" : version)};
  }
}

package dev.kv.jmh;

import java.io.IOException;

/** The entry point of the benchmarks: hands its arguments to JMH. */
public final class Main {

  private Main() {}

  /** Runs the benchmarks that the arguments select. */
  public static void main(String[] args) throws IOException {
    org.openjdk.jmh.Main.main(args);
  }
}

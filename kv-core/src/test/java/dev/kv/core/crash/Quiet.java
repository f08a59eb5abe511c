package dev.kv.core.crash;

import java.io.OutputStream;
import java.io.PrintStream;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/** Discards the log of a test class, which has thousands of failures that the test injects. */
public final class Quiet implements BeforeAllCallback, AfterAllCallback {
  private PrintStream before = System.err;

  @Override
  public void beforeAll(ExtensionContext context) {
    before = System.err;
    System.setErr(new PrintStream(OutputStream.nullOutputStream()));
  }

  @Override
  public void afterAll(ExtensionContext context) {
    System.setErr(before);
  }
}

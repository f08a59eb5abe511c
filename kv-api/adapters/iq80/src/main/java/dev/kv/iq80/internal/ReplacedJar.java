package dev.kv.iq80.internal;

import java.lang.module.ModuleDescriptor;
import java.net.URL;
import org.jspecify.annotations.Nullable;

/**
 * The jar whose class names an adapter takes over. If both are on the class path, the order of the
 * two decides which class of which jar is loaded, so the adapter refuses to start. Immutable.
 */
public final class ReplacedJar {
  private final String adapter;
  private final String replaced;
  private final @Nullable URL found;

  private ReplacedJar(String adapter, String replaced, @Nullable URL found) {
    this.adapter = adapter;
    this.replaced = replaced;
    this.found = found;
  }

  /**
   * Looks for the replaced jar beside {@code ownClass}.
   *
   * @param ownClass a class of the adapter; its class loader is asked
   * @param adapter the adapter's artifact, for the message
   * @param replaced the replaced artifact, for the message
   * @param marker the resource name of a class that only the replaced jar has
   * @return what was found
   */
  public static ReplacedJar lookFor(
      Class<?> ownClass, String adapter, String replaced, String marker) {
    ClassLoader loader = ownClass.getClassLoader();
    URL found = loader == null ? ClassLoader.getSystemResource(marker) : loader.getResource(marker);
    return new ReplacedJar(adapter, replaced, found);
  }

  /**
   * Returns the version of the jar that a class of an adapter was loaded from: what its manifest
   * says, or its name if it is on the module path.
   *
   * @param ownClass a class of the adapter
   * @return the version, or "unknown" if the class was not loaded from a jar
   */
  public static String versionOf(Class<?> ownClass) {
    String version = ownClass.getPackage().getImplementationVersion();
    ModuleDescriptor module = ownClass.getModule().getDescriptor();
    if (version == null && module != null) {
      version = module.rawVersion().orElse(null);
    }
    return version == null ? "unknown" : version;
  }

  /**
   * Does nothing if the replaced jar is absent.
   *
   * @throws IllegalStateException if it is present; the message names its place
   */
  public void requireAbsent() {
    if (found != null) {
      throw new IllegalStateException(
          adapter
              + " takes the place of "
              + replaced
              + ", and both are on the class path: remove "
              + replaced
              + ", found at "
              + found);
    }
  }
}

package dev.kv;

/** Keeps the package from being empty until the API is there. */
final class EmptyPackage {
  private EmptyPackage() {}
}

package dev.kv.core.version;

/**
 * The user keys from {@code smallest} to {@code largest}, both inclusive. The arrays are borrowed
 * and never changed.
 */
public record KeyRange(byte[] smallest, byte[] largest) {}

package dev.kv.core.manifest;

import dev.kv.core.key.InternalKeyComparator;
import dev.kv.core.memory.OffHeapBudget;
import dev.kv.env.Env;
import java.nio.file.Path;

/**
 * The environment and the options of a version set.
 *
 * @param env opens and creates the files
 * @param directory the database's directory
 * @param comparator the order of the internal keys
 * @param budget counts the bytes of the write buffer
 * @param maxFileSize the size of a table, above which a MANIFEST is not reused or is replaced
 * @param reuseManifest true if an open may append to a MANIFEST
 */
public record ManifestContext(
    Env env,
    Path directory,
    InternalKeyComparator comparator,
    OffHeapBudget budget,
    long maxFileSize,
    boolean reuseManifest) {}

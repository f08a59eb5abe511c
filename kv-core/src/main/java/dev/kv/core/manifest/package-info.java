/**
 * The durable history of the tree: the MANIFEST, whose records are version edits, and CURRENT,
 * which names it.
 *
 * <p>{@link dev.kv.core.manifest.VersionSet} recovers the version from them and logs every later
 * edit; {@link dev.kv.core.manifest.Manifest} appends to the MANIFEST in use and replaces it when
 * it has grown; {@link dev.kv.core.manifest.ManifestWriter} writes one MANIFEST; {@link
 * dev.kv.core.manifest.CurrentFile} reads and replaces CURRENT; {@link
 * dev.kv.core.manifest.NewDatabase} creates both files.
 *
 * <p>Called by inspect, by state and by packages above it. May import version, log, env, key,
 * memory and below.
 */
@NullMarked
package dev.kv.core.manifest;

import org.jspecify.annotations.NullMarked;

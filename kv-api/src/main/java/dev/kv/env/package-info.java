/**
 * The operating system as a database sees it. {@link dev.kv.env.Env} is the seam: files,
 * directories, locks, clock and threads. Programs that inject faults, count operations or store
 * files elsewhere wrap an environment with {@link dev.kv.env.ForwardingEnv} and its files with the
 * other forwarding classes.
 *
 * <p>This package imports nothing from {@code dev.kv}; {@code dev.kv.Options} names the environment
 * of a database.
 */
@NullMarked
package dev.kv.env;

import org.jspecify.annotations.NullMarked;

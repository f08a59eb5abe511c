/**
 * The parts of the operating system that a database uses. An {@link dev.kv.env.Env} opens files and
 * directories, takes locks, tells the time and starts threads. A program that injects faults,
 * counts operations or stores files elsewhere wraps an environment with {@link
 * dev.kv.env.ForwardingEnv}, and its files with the other forwarding classes. {@code MemEnv} keeps
 * files in memory. {@code dev.kv.Options} takes the environment of a database.
 *
 * <p>This package imports nothing from {@code dev.kv}.
 */
@NullMarked
package dev.kv.env;

import org.jspecify.annotations.NullMarked;

/**
 * The configuration of {@link dev.kv.infinispan.KvStore}: a builder for programs, and a parser for
 * the element {@code kv-store} of Infinispan's XML, JSON and YAML.
 */
@NullMarked
package dev.kv.infinispan.configuration;

import org.jspecify.annotations.NullMarked;

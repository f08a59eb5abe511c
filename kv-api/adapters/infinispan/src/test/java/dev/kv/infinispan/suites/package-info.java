/**
 * Infinispan's own tests of stores, run on kv by {@link dev.kv.infinispan.InfinispanSuitesTest}.
 */
package dev.kv.infinispan.suites;

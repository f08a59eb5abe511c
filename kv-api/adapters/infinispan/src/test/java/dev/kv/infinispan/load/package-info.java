/** A measurement of cache stores, each in processes of its own. */
package dev.kv.infinispan.load;

/** Tests of a cluster of processes. */
package dev.kv.infinispan.cluster;

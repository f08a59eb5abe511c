/** Tests of a cluster of processes, and a measurement of stores. */
package dev.kv.infinispan.cluster;

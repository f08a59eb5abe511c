/** Tests of entries that expire, over the engine. */
package dev.kv.core.ttl;

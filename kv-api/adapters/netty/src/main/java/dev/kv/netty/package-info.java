/**
 * Keys and values as buffers of Netty.
 *
 * <p>{@link dev.kv.netty.ByteBufDB} reads and writes a database, and {@link
 * dev.kv.netty.ByteBufBatch} collects writes. A value that is read is not copied: the buffer has
 * the memory of the cached block, which stays until the buffer is released. It stands on {@link
 * dev.kv.DB#pinned}, and imports only the API and Netty's buffers.
 */
@NullMarked
package dev.kv.netty;

import org.jspecify.annotations.NullMarked;

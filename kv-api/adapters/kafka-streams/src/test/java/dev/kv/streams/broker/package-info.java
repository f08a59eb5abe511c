/**
 * Topologies on a Kafka broker in the process of the test.
 *
 * <p>{@link dev.kv.streams.broker.Broker} is the broker. {@link dev.kv.streams.broker.Topologies}
 * has the topologies, and {@link dev.kv.streams.broker.Application} runs one of them, here or as
 * the main class of a child process, of which {@link dev.kv.streams.broker.ChildApplication} is the
 * handle.
 */
package dev.kv.streams.broker;

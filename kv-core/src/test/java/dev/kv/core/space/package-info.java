/** Tests of the spaces of {@code dev.kv.space}, on the engine. */
package dev.kv.core.space;

/** Tests of the typed maps of {@code dev.kv.map}, on the engine. */
package dev.kv.core.map;

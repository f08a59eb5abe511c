/**
 * Runs mixed load on one database for hours, compares it with a model, and watches every resource
 * that could grow.
 */
@NullMarked
package dev.kv.core.soak;

import org.jspecify.annotations.NullMarked;

/**
 * Hours of mixed load on one database, against a model, with an eye on everything that could grow.
 */
@NullMarked
package dev.kv.core.soak;

import org.jspecify.annotations.NullMarked;

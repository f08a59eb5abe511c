/**
 * Tests a whole database against crashes, faults and damage. The tests write a {@link
 * dev.kv.core.crash.History}, which is a list of batches that depends only on a seed. After a crash
 * they check which prefix of it is in the database.
 */
@NullMarked
package dev.kv.core.crash;

import org.jspecify.annotations.NullMarked;

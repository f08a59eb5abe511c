/**
 * kv in the place of iq80's port of LevelDB, under the name that programs hard-code: put this
 * artifact where {@code org.iq80.leveldb:leveldb} was, and nothing else changes.
 *
 * <p>{@link org.iq80.leveldb.impl.Iq80DBFactory} is all that is here; databases are {@code
 * dev.kv.iq80}'s. It refuses to open anything if iq80's port is on the class path too.
 */
@NullMarked
package org.iq80.leveldb.impl;

import org.jspecify.annotations.NullMarked;

package dev.kv.core.table.cache;

/**
 * The way in which a lookup reads a data block of an open table, and gets the value out of it.
 * There are three: a block that is pinned in the cache, a block that stays pinned for the next
 * lookup, and the mapping of the file.
 */
@FunctionalInterface
public interface BlockAccess {
  /**
   * Positions the cursor of a lookup on a data block, calls {@link TableLookup#search}, and gives
   * the lookup a value that stays valid.
   *
   * @param block the number of the data block
   * @param offset its offset in the file
   * @param size its stored size, without the trailer
   * @return one of {@link dev.kv.core.key.LookupResult}'s constants
   */
  int search(TableLookup lookup, int block, long offset, int size);
}

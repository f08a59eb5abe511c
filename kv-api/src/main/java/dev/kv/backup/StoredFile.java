package dev.kv.backup;

import java.util.HexFormat;

/**
 * A file of a backup. Two files with the same name can differ, because a database can use a number
 * again after a crash; the size and the checksum tell them apart.
 *
 * @param name the name in the database's directory
 * @param size the size in bytes
 * @param checksum the CRC32C of all bytes
 */
record StoredFile(String name, long size, int checksum) {
  /** Returns the name of the file in the directory of backups. */
  String storedName() {
    return name + "." + size + "." + HexFormat.of().toHexDigits(checksum);
  }
}

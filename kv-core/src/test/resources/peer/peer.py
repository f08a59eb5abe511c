"""C++ LevelDB at the end of a pipe: reads or writes one database, entries as lines of hex."""
import sys

import plyvel


def main(mode, directory, *flags):
    options = dict(
        create_if_missing=True,
        paranoid_checks="lenient" not in flags,
        write_buffer_size=256 << 10,
        bloom_filter_bits=10 if "bloom" in flags else 0,
        compression=None if "plain" in flags else "snappy",
    )
    db = plyvel.DB(directory, **options)
    if mode == "read":
        for key, value in db.iterator(verify_checksums=True):
            sys.stdout.write(key.hex() + " " + value.hex() + "\n")
    elif mode == "write":
        for line in sys.stdin:
            operation, key, value = line.rstrip("\n").split(" ")
            if operation == "put":
                db.put(bytes.fromhex(key), bytes.fromhex(value))
            else:
                db.delete(bytes.fromhex(key))
        if "compact" in flags:
            db.compact_range()
    db.close()


main(*sys.argv[1:])

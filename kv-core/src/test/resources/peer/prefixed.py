"""C++ LevelDB reads and writes the keys with one prefix, through plyvel's own prefixed databases."""
import sys

import plyvel


def main(directory, outer, inner, *put):
    db = plyvel.DB(directory)
    part = db.prefixed_db(bytes.fromhex(outer)).prefixed_db(bytes.fromhex(inner))
    for key, value in part:
        sys.stdout.write(key.hex() + " " + value.hex() + "\n")
    with part.write_batch(transaction=True) as batch:
        for key in put:
            batch.put(bytes.fromhex(key), b"of C++")
    db.close()


main(*sys.argv[1:])

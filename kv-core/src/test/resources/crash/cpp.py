"""C++ LevelDB at the end of a pipe. One command a line:

read DIRECTORY    opens, prints every entry as two words of hex, then "." (or "! reason")
write DIRECTORY   opens and stays open; every further line is a batch, written and then answered by "ok": words
                  "sync", "KEY=VALUE" for a put and "KEY" for a delete, in hex
"""
import sys

import plyvel


def opened(directory):
    return plyvel.DB(
        directory, create_if_missing=True, paranoid_checks=True, write_buffer_size=64 << 10
    )


def read(directory):
    try:
        db = opened(directory)
        entries = [k.hex() + " " + v.hex() for k, v in db.iterator(verify_checksums=True)]
        db.close()
        entries.append(".")
        print("\n".join(entries), flush=True)
    except plyvel.Error as e:
        print("!", str(e).replace("\n", " "), flush=True)


def write(directory):
    db = opened(directory)
    print("ok", flush=True)
    for line in sys.stdin:
        words = line.split()
        sync = words[0] == "sync"
        with db.write_batch(sync=sync) as batch:
            for word in words[1:] if sync else words:
                key, put, value = word.partition("=")
                if put:
                    batch.put(bytes.fromhex(key), bytes.fromhex(value))
                else:
                    batch.delete(bytes.fromhex(key))
        print("ok", flush=True)


for command in sys.stdin:
    mode, _, directory = command.rstrip("\n").partition(" ")
    (read if mode == "read" else write)(directory)

"""Makes the golden directories beside this file: each is what C++ LevelDB's RepairDB left.

python3 make.py DIRECTORY needs plyvel. NAME/ is the directory after the repair. entries.txt has a
line for each: its name, the number of its entries as C++ LevelDB scans them, and the SHA-256 of
those as lines of the key and the value in hex.
"""
import hashlib
import os
import random
import shutil
import sys

import plyvel

OPTIONS = {"write_buffer_size": 64 << 10, "compression": "snappy"}


def files(directory, ending):
    return sorted(f for f in os.listdir(directory) if f.endswith(ending))


def flip(directory, name, offset):
    with open(os.path.join(directory, name), "r+b") as file:
        file.seek(offset)
        byte = file.read(1)[0]
        file.seek(offset)
        file.write(bytes([byte ^ 0x10]))


def fill(directory, rounds, seed, deletes=True, compact=False):
    """Writes keys over and over, so that versions of one key lie in several tables and the log."""
    rng = random.Random(seed)
    db = plyvel.DB(directory, create_if_missing=True, **OPTIONS)
    for round_ in range(rounds):
        for _ in range(220):
            key = b"key%04d" % rng.randrange(400)
            if deletes and rng.random() < 0.2:
                db.delete(key)
            else:
                db.put(key, b"round %d of %s " % (round_, key) * rng.randrange(1, 40))
        if compact and round_ == rounds // 2:
            db.compact_range()
    db.close()


def log_only(directory):
    fill(directory, 1, 1)


def overwritten(directory):
    fill(directory, 8, 2)


def compacted(directory):
    fill(directory, 8, 3, compact=True)


def lost_current(directory):
    fill(directory, 6, 4)
    os.remove(os.path.join(directory, "CURRENT"))


def lost_manifest(directory):
    fill(directory, 6, 5, compact=True)
    os.remove(os.path.join(directory, "CURRENT"))
    for name in os.listdir(directory):
        if name.startswith("MANIFEST"):
            os.remove(os.path.join(directory, name))


def damaged_table(directory):
    fill(directory, 8, 6)
    flip(directory, files(directory, ".ldb")[0], 1000)


def damaged_log(directory):
    fill(directory, 3, 7)
    log = files(directory, ".log")[-1]
    flip(directory, log, os.path.getsize(os.path.join(directory, log)) // 2)


def lost_table(directory):
    fill(directory, 8, 8)
    os.remove(os.path.join(directory, files(directory, ".ldb")[0]))


def older_value_in_the_newer_table(directory):
    """Damages two old tables: the repair writes them anew, with higher numbers than newer tables."""
    fill(directory, 8, 9, deletes=False)
    for name in files(directory, ".ldb")[:2]:
        flip(directory, name, 500)


def empty(directory):
    plyvel.DB(directory, create_if_missing=True).close()


def main(target):
    os.makedirs(target, exist_ok=True)
    cases = [
        log_only,
        overwritten,
        compacted,
        lost_current,
        lost_manifest,
        damaged_table,
        damaged_log,
        lost_table,
        older_value_in_the_newer_table,
        empty,
    ]
    summary = []
    for case in cases:
        name = case.__name__.replace("_", "-")
        directory = os.path.join(target, name)
        shutil.rmtree(directory, ignore_errors=True)
        case(directory)
        plyvel.repair_db(directory, **OPTIONS)
        for left in ("LOCK", "LOG", "LOG.old"):
            if os.path.exists(os.path.join(directory, left)):
                os.remove(os.path.join(directory, left))
        shutil.rmtree(os.path.join(directory, "lost"), ignore_errors=True)
        copy = directory + ".copy"
        shutil.copytree(directory, copy)
        with plyvel.DB(copy, paranoid_checks=True) as db:
            lines = [k.hex() + " " + v.hex() + "\n" for k, v in db.iterator(verify_checksums=True)]
        shutil.rmtree(copy)
        digest = hashlib.sha256("".join(lines).encode()).hexdigest()
        summary.append(f"{name} {len(lines)} {digest}\n")
    with open(os.path.join(target, "entries.txt"), "w") as out:
        out.writelines(summary)


main(sys.argv[1])

"""What tools need to know of run files beside SQL: the check sums (src/base/seal.cpp, src/io/run_file.cpp)."""
import contextlib
import sqlite3
import struct

PRIME, MASK = 0x9E3779B97F4A7C15, (1 << 64) - 1


def stirred(total, word):
    total = ((total ^ word) * PRIME) & MASK
    return (total << 32 | total >> 32) & MASK


def check_sum(data, start=0):
    sums = [stirred(start ^ len(data), k + 1) for k in range(8)]
    data += bytes(-len(data) % 64)
    for n, word in enumerate(struct.unpack(f"<{len(data) // 8}Q", data)):
        sums[n % 8] = stirred(sums[n % 8], word)
    total = 0
    for part in sums:
        total = stirred(total, part)
    return total


def sealed(data):
    return data + struct.pack("<Q", check_sum(data))


def signed(number):
    return number - (1 << 64) if number >> 63 else number


def facts_sum(facts):
    total = 0
    for name in sorted(facts, key=str.encode):
        if name != "sum":
            total = check_sum(facts[name], check_sum(name.encode(), total))
    return f"{total:016x}".encode()


def block_sums(chain, group, first_row, num_rows, num_columns, columns):
    """Of pieces of whole columns, about 4 KiB each."""
    width = max(1, -(-512 // num_rows))
    place = struct.pack("<4q", chain, group, first_row, num_rows)
    step, pieces = 8 * width * num_rows, -(-num_columns // width)
    return b"".join(struct.pack("<Q", check_sum(columns[p * step:(p + 1) * step], check_sum(place, p))) for p in range(pieces))


def chain_sum(chain, iteration, num_rows, finished):
    """`num_rows`: by group, 8-byte numbers, as they are stored."""
    return signed(check_sum(num_rows, check_sum(struct.pack("<3q", chain, iteration, finished))))


def set_fact(path, name, change):
    """As a program would that wrote another one."""
    with contextlib.closing(sqlite3.connect(path)) as database, database:
        facts = {key: bytes(value) for key, value in database.execute("SELECT name, value FROM facts")}
        facts[name] = change(facts[name])
        for key in (name, "sum"):
            value = facts_sum(facts) if key == "sum" else facts[key]
            database.execute("UPDATE facts SET value = ? WHERE name = ?", (value, key))

#!/usr/bin/env python3
"""frames.py [--sound]: what the router of this folder receives on its serial line, to standard output.

Beacons of five neighbours; then one frame that is longer than the router has room for, and more beacons. With --sound
that frame is left out."""
import sys


def frame(payload):
    return bytes([0x7e, len(payload)]) + bytes(payload) + bytes([sum(payload) & 0xff])


def beacon(node, sequence, cost):
    return frame([node, sequence & 0xff, cost & 0xff, cost >> 8])


def beacons(first, last):
    for round_ in range(first, last):
        for node in range(1, 6):
            if (round_ * node) % (node + 2) != 1:  # some are lost
                yield beacon(node, round_, 16 * node + (node * 7 + round_ // 10 * 5) % 11)


def main():
    out = b''.join(beacons(0, 40))
    if '--sound' not in sys.argv:
        out += frame(list(range(0x41, 0x41 + 40))) + beacon(5, 40, 80)
    out += b''.join(beacons(40, 60))
    sys.stdout.buffer.write(out)


main()

#!/usr/bin/env python3
"""How far it goes: a discrete-event simulation of clients that wait, calibrated on what was measured.

Processors serve one thing after the other: a reply to each who waits when a version is published, and a request for each
poll that comes. Clients poll again as soon as they were answered, and when their wait is over. With caches in between,
clients wait there, and each edge asks the origin once for all of them.

    simulation.py [--seed 1]        the table of docs/scaling.md
    simulation.py --check           only whether the simulation gives what was measured
"""

import argparse
import heapq
import random
import sys

# Measured, in seconds (README.md, "How fast": one core of a 2.5 GHz Xeon).
SEND = 8.3e-6          # one of 10,000 waiting polls answered with 929 bytes: 83 ms in all
REQUEST = 11.1e-6      # a request read and answered or parked: 90,000 a second
COMMIT = 0.26e-3       # a version's commit in PostgreSQL, until another process hears of it
STANDBY = 0.42e-3      # the same where a synchronous standby has it, too
LOCK_TIMER = 0.5       # how often nginx looks for a reply that another request fetches
THREAD = 0.24e-3       # of Varnish, until one more thread that waits has given the reply: 18 ms to the median of 150

WAIT, SLOT = 20.0, 20.0
NETWORK = 20e-3        # between a client and what it polls, one way: a choice, not a measurement


def quantile(values, share):
    return sorted(values)[min(len(values) - 1, int(share * len(values)))] if values else 0.0


class Core:
    """One processor core: serves in the order of coming."""

    def __init__(self):
        self.free, self.busy = 0.0, 0.0

    def serve(self, now, cost):
        self.free = max(now, self.free) + cost
        self.busy += cost
        return self.free


def direct(clients, changes, seconds, seed, network=NETWORK):
    """`clients` of one core of a replica, with `changes` a second. When each client had each version it was told of."""
    rng, core, events, delays, told = random.Random(seed), Core(), [], [], 0
    version, published = 0, {0: 0.0}
    seen, waiting = [0] * clients, {}
    for client in range(clients):
        # They came in the course of a wait, and end theirs so.
        heapq.heappush(events, (rng.random() * WAIT - WAIT, 0, "poll", client))
    number = 1
    now = rng.expovariate(changes) if changes else seconds + 1
    while now < seconds:
        heapq.heappush(events, (now + COMMIT, number, "change", 0))
        number += 1
        now += rng.expovariate(changes)

    def answer(client, now, cost):
        nonlocal told
        done = core.serve(now, cost)
        if version != seen[client]:
            seen[client] = version
            delays.append(done + network - published[version])
            told += 1
        heapq.heappush(events, (done + 2 * network, number, "poll", client))

    while events:
        now, _, kind, client = heapq.heappop(events)
        if now > seconds:
            break
        if now < 0:
            core.busy = 0.0
        number += 1
        if kind == "change":
            version += 1
            published[version] = now - COMMIT
            woken, waiting = list(waiting), {}
            for client in woken:
                answer(client, now, SEND)
        elif kind == "poll":
            if seen[client] != version:
                answer(client, now, REQUEST)
            else:
                core.serve(now, REQUEST)
                waiting[client] = now + WAIT
                heapq.heappush(events, (now + WAIT, number, "over", client))
        elif waiting.get(client) == now:
            del waiting[client]
            answer(client, now, SEND)
    return {"p50": quantile(delays, 0.5), "p99": quantile(delays, 0.99), "last": max(delays, default=0.0),
            "busy": core.busy / seconds, "told": told / max(clients * version, 1)}


def edges(clients, changes, seconds, seed, kind, network=NETWORK):
    """`clients` at one edge. What comes of it to the origin, and when they had each version."""
    rng, delays, asked = random.Random(seed), [], set()
    moments = [rng.random() * seconds for _ in range(max(1, round(changes * seconds)))]
    # One request for each version and each slot in which it is waited for: whoever comes second waits at the edge.
    borders = [0.0] + [slot * SLOT for slot in range(1, int(seconds / SLOT) + 1)]
    for moment in sorted(moments + borders):
        asked.add((sum(change <= moment for change in moments), int(moment / SLOT)))
    for moment in moments:
        for place in range(clients):
            at_edge = rng.random() * LOCK_TIMER if kind == "nginx" else place * THREAD
            delays.append(COMMIT + SEND + at_edge + network)
    return {"p50": quantile(delays, 0.5), "p99": quantile(delays, 0.99), "last": max(delays, default=0.0),
            "origin": len(asked), "asked": clients * (len(moments) + seconds / SLOT)}


def check():
    """What was measured, beside what the simulation gives for the same; the last column is how far off it may be."""
    burst = direct(10_000, 0.1, 21, 4, network=0)
    polls = direct(15_000, 0, 60, 2)
    nginx = edges(150, 7 / 30, 30, 5, "nginx", network=0)
    varnish = edges(150, 7 / 30, 30, 5, "varnish", network=0)
    points = [
        ("10,000 waiting polls, until the last has the version, ms", 83, burst["last"] * 1e3, 0.15),
        # Arithmetic: a request and an answer for each, every 20 s.
        ("processor for 15,000 clients to whom nothing happens, %", 1.46, polls["busy"] * 1e2, 0.05),
        ("150 clients at nginx, the median, ms", 252, nginx["p50"] * 1e3, 0.1),
        ("the last, ms", 501, nginx["last"] * 1e3, 0.05),
        ("requests of 30 s with some 7 changes at the origin", 9, nginx["origin"], 0.25),
        ("150 clients at Varnish, the median, ms", 18, varnish["p50"] * 1e3, 0.15),
        ("the last, ms", 44, varnish["last"] * 1e3, 0.25),
    ]
    good = True
    for what, measured, simulated, tolerance in points:
        fits = abs(simulated - measured) <= tolerance * measured
        good &= fits
        print(f"{'ok ' if fits else 'NOT'} {what}: {measured:g}, simulated {simulated:.2f} (± {tolerance:.0%})")
    return good


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--check", action="store_true")
    arguments = parser.parse_args()
    if not check():
        sys.exit("the simulation does not give what was measured")
    if arguments.check:
        return
    print("\nclients of a core   changes/s   p50 ms   p99 ms   busy   versions that reach a client")
    for clients in (5_000, 15_000, 30_000):
        for changes in (0.02, 0.2, 1, 5):
            result = direct(clients, changes, max(40, 5 / changes), arguments.seed)
            print(f"{clients:15,}   {changes:9g}   {result['p50'] * 1e3:6.0f}   {result['p99'] * 1e3:6.0f}   "
                  f"{result['busy']:4.0%}   {result['told']:4.0%}")
    print("\nclients of an edge   kind      changes/s   p50 ms   p99 ms   requests at the origin of those at the edge")
    for kind, clients in (("nginx", 20_000), ("varnish", 4_000)):
        for changes in (0.02, 0.2, 1):
            result = edges(clients, changes, 60, arguments.seed, kind)
            print(f"{clients:16,}   {kind:8}   {changes:9g}   {result['p50'] * 1e3:6.0f}   {result['p99'] * 1e3:6.0f}   "
                  f"{result['origin']} of {result['asked']:,.0f}")


main()

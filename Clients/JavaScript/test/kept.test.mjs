// Kept edits of programs that share a store and end at any moment: what a program has kept, a later one finds.

import assert from "node:assert/strict";
import test from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { keptEdits } from "../kept.js";
import { FakeLocks } from "./fake-locks.mjs";
import { seeded } from "./fake-service.mjs";
import { settle } from "./scripted.mjs";

/** Programs over one store. Each of its calls takes a few turns of the event loop, at random. */
class World {
  kept = new Map();
  locks = new FakeLocks();

  constructor(seed, hasLocks) {
    Object.assign(this, { random: seeded(seed), hasLocks });
  }

  /** A program; it ends after so many changes of the store. */
  async start(changes = Infinity) {
    const locks = this.hasLocks ? this.locks.program() : undefined;
    const program = { isDead: false, edits: [], found: [] };
    program.end = () => {
      program.isDead = true;
      locks?.end();
    };
    const call = async (action, isChange) => {
      for (let turns = Math.floor(this.random() * 4); turns; turns--) await new Promise((resolve) => setImmediate(resolve));
      if (program.isDead) return new Promise(() => {});
      const value = structuredClone(action());
      if (isChange && !--changes) program.end();
      return program.isDead ? new Promise(() => {}) : value;
    };
    const keeper = keptEdits({
      get: (key) => call(() => this.kept.get(key)),
      set: (key, value) => call(() => void this.kept.set(key, structuredClone(value)), true),
      delete: (prefix) => call(() => [...this.kept.keys()].forEach((key) => key.startsWith(prefix) && this.kept.delete(key)), true),
    }, { locks });
    const save = () => keeper.save(() => program.edits);
    program.add = (key) => {
      program.edits = [...program.edits, { key }];
      return save();
    };
    program.close = () => keeper.close();
    keeper.open("s ", (edits) => {
      program.found.push(...edits.map(({ key }) => key));
      program.edits = [...program.edits, ...edits];
      save().catch(() => {});
    });
    for (let round = 0; round < 30; round++) await settle();
    return program;
  }
}

for (const hasLocks of [true, false]) {
  const how = hasLocks ? "with" : "without";

  test(`a program that ends while it takes over another's edits loses none, ${how} locks`, async () => {
    for (let changes = 1; changes < 9; changes++) {
      const world = new World(changes, hasLocks);
      const first = await world.start();
      await first.add("one");
      await first.add("two");
      first.end();
      const second = await world.start(changes);
      second.end();
      const third = await world.start();
      assert.deepEqual([...new Set(third.found)], ["one", "two"], `after ${changes} changes: ${JSON.stringify([...world.kept])}`);
    }
  });

  test(`programs that start and keep edits at once lose none, ${how} locks`, async () => {
    await Promise.all(Array.from({ length: 60 }, async (_, seed) => {
      const world = new World(seed, hasLocks);
      const old = await world.start();
      const starting = Array.from({ length: 3 }, () => world.start());
      const keys = [0, 1, 2].map((n) => `old ${n}`);
      for (const key of keys) await old.add(key);
      const programs = await Promise.all(starting);
      await Promise.all(programs.map((program, n) => program.add(`new ${n}`)));
      // Without locks a program writes once more after a second.
      await sleep(hasLocks ? 100 : 1500);
      for (const program of [old, ...programs]) program.end();
      const last = await world.start();
      assert.deepEqual([...new Set(last.found)].sort(), ["new 0", "new 1", "new 2", ...keys], `seed ${seed}: ${JSON.stringify([...world.kept])}`);
    }));
  });

  test(`a program that closes while others start loses none, ${how} locks`, async () => {
    await Promise.all(Array.from({ length: 60 }, async (_, seed) => {
      const world = new World(seed, hasLocks);
      const old = await world.start();
      const starting = [world.start(), world.start()];
      const keys = [0, 1, 2].map((n) => `old ${n}`);
      for (const key of keys) await old.add(key);
      await old.close();
      old.end();
      const programs = await Promise.all(starting);
      for (const program of programs) {
        await program.close();
        program.end();
      }
      const last = await world.start();
      assert.deepEqual([...new Set(last.found)].sort(), keys, `seed ${seed}: ${JSON.stringify([...world.kept])}`);
    }));
  });
}

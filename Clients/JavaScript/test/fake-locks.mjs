// Web Locks as browsers have them, for programs that a test lets live and die.

export class FakeLocks {
  #held = new Map();
  #waiting = [];

  /** What one program sees; `end` releases all that it holds and wants, as its death does. */
  program() {
    const me = {};
    return {
      request: async (name, ...given) => {
        const action = given.at(-1);
        const { ifAvailable } = given.length > 1 ? given[0] : {};
        if (ifAvailable && this.#held.has(name)) return action(null);
        if (this.#held.has(name)) await new Promise((grant) => this.#waiting.push({ name, me, grant }));
        const own = { me };
        this.#held.set(name, own);
        try {
          return await action({ name });
        } finally {
          this.#release(name, own);
        }
      },
      end: () => {
        this.#waiting = this.#waiting.filter((one) => one.me !== me);
        for (const [name, own] of [...this.#held]) if (own.me === me) this.#release(name, own);
      },
    };
  }

  #release(name, own) {
    if (this.#held.get(name) !== own) return;
    this.#held.delete(name);
    const next = this.#waiting.findIndex((one) => one.name === name);
    if (next >= 0) this.#waiting.splice(next, 1)[0].grant();
  }
}

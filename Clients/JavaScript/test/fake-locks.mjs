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
        const { ifAvailable, steal, signal } = given.length > 1 ? given[0] : {};
        if (ifAvailable && this.#held.has(name)) return action(null);
        if (steal) {
          this.#held.get(name)?.rob(new DOMException("stolen", "AbortError"));
          this.#held.delete(name);
        } else if (this.#held.has(name)) {
          await new Promise((grant, reject) => {
            const one = { name, me, grant };
            this.#waiting.push(one);
            signal?.addEventListener("abort", () => {
              this.#waiting = this.#waiting.filter((other) => other !== one);
              reject(signal.reason);
            });
          });
        }
        const own = { me };
        const robbed = new Promise((_, reject) => (own.rob = reject));
        robbed.catch(() => {});
        this.#held.set(name, own);
        if (me.hasEnded) {
          this.#release(name, own);
          return new Promise(() => {});
        }
        try {
          return await Promise.race([action({ name }), robbed]);
        } finally {
          this.#release(name, own);
        }
      },
      end: () => {
        me.hasEnded = true;
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

// Edits kept until they are over, for programs that share one store: the tabs of a browser. Each tab has a place of its
// own, which nobody else writes, and a Web Lock for as long as it lives; what a tab that is gone has left, another takes
// up. The list of places is changed under a lock of its own.

/**
 * Without Web Locks edits are kept once more so many ms later: another program may have written the list at the same time,
 * without this one, or have deleted this one's place.
 */
const again = 1000;

/** Without Web Locks: a program that is alone, in whose store all others are gone. */
const alone = { request: async (name, ...given) => given.at(-1)({ name }) };

/** Keeps edits in `store`, for the client option `keepEdits`: one of these for each client. */
export function keptEdits(store, { locks = globalThis.navigator?.locks ?? alone } = {}) {
  const own = globalThis.crypto?.randomUUID?.() ?? `${Math.random()}`.padEnd(22, "0");
  let base, adopt, leave;
  /** What is to be kept now, and the keys of what was taken up: once it is over, it may still stand where it was. */
  let present = () => [];
  const taken = new Set();
  let isClosed = false;
  /** What keeps once more, what is waited for then, and the list's last change. */
  let timer, later, listing;
  /** Whether it has looked what others have left, and the list of places has had this one's. */
  let isListed = false;
  const watched = new Set();
  // One thing after the other: what is kept is never older than what was kept before.
  let last = Promise.resolve();
  const inTurn = (action) => (last = last.catch(() => {}).then(action));
  const place = (id) => `${base} ${id}`;

  const listed = async () => [(await store.get(base)) ?? []].flat();
  const lockList = (action) => locks.request(`${base} list`, action);
  /** Leaves `gone` out of the list and names this one in it. */
  const enlist = async (gone = []) => {
    const ids = await listed();
    const living = [...new Set([...ids.filter((id) => !gone.includes(id)), own])];
    if (`${living}` !== `${ids}`) await store.set(base, living);
    return living;
  };

  const isGone = (id) => (locks === alone ? true : locks.request(place(id), { ifAvailable: true }, (lock) => lock !== null));

  /** Takes up what tabs have left that are gone, or drops it; `dead` is one that is known to be gone. */
  const collect = (dead, isDropping) => inTurn(() => lockList(async () => {
    const ids = await listed();
    const gone = [];
    for (const id of ids) if (id !== own && (id === dead || (await isGone(id)))) gone.push(id);
    const left = (await Promise.all(gone.map((id) => store.get(place(id))))).flat().filter((edit) => edit?.key);
    if (left.length && !isDropping) {
      const fresh = left.filter(({ key }) => !taken.has(key));
      fresh.forEach(({ key }) => taken.add(key));
      isListed = false;
      const all = [...present(), ...fresh];
      try {
        // Before anything is deleted, the list names the place that has it then.
        await enlist();
        if (all.length) await store.set(place(own), all);
      } finally {
        // Edits that can't be copied to a full disk stay where they are, and are shown and sent all the same.
        if (fresh.length) adopt(fresh);
      }
    }
    for (const id of gone) await store.delete(place(id));
    const living = await enlist(gone);
    isListed = true;
    // When one of them ends, this tab takes over, if it is still open.
    for (const id of living) {
      if (id === own || watched.has(id) || locks === alone) continue;
      watched.add(id);
      locks.request(place(id), () => {
        if (!isClosed) collect(id);
      });
    }
  }));

  /** Keeps what is to be kept, once it is this one's turn. */
  const keep = () => {
    let kept;
    return inTurn(() => store.set(place(own), (kept = present()))).then(() => {
      if (!isListed) return collect();
      if (kept.length) listing = lockList(() => enlist()).catch(() => {});
    });
  };

  return {
    /** Begins; `take` is given the edits that were kept, now and whenever another tab ends. */
    async open(scope, take) {
      [base, adopt] = [`${scope}edits`, take];
      if (locks !== alone) {
        await new Promise((ready) => {
          locks.request(place(own), () => new Promise((end) => ((leave = end), ready())));
        });
      }
      await collect();
    },

    /** Looks for tabs that have come and gone meanwhile. */
    look: () => collect(),

    /** Forgets what tabs have left that are gone. Those that live keep theirs. */
    purge: () => collect(undefined, true),

    /**
     * Keeps what `current` gives, once it is this one's turn. Where the store failed at first, the list of places was never
     * written. Since then it may have been forgotten, or written by a program without locks, which takes others for gone.
     */
    save(current) {
      present = current;
      if (locks === alone && !isClosed) {
        clearTimeout(timer);
        later = new Promise((done) => {
          timer = setTimeout(() => done(keep().catch(() => {})), again);
        });
      }
      return keep();
    },

    async close() {
      isClosed = true;
      if (later && present().length) {
        await later;
        await listing;
      }
      clearTimeout(timer);
      await last.catch(() => {});
      leave?.();
    },
  };
}

// Cursors are `<epoch>.<version>`, in a view `.<taps>` behind it, then `~` and the rest of the lens.

const numbers = (cursor) => /^([^.~]+)\.(\d+)(?:\.(\d+))?(?:~|$)/.exec(cursor ?? "");

/** Whether `cursor` is of the same epoch as `other`, and neither of its numbers is smaller. */
export function isAsNewAs(cursor, other) {
  const [mine, theirs] = [numbers(cursor), numbers(other)];
  if (!mine || !theirs) return cursor === other;
  return mine[1] === theirs[1] && +mine[2] >= +theirs[2] && +(mine[3] ?? 0) >= +(theirs[3] ?? 0);
}

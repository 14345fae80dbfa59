// Cursors are `<epoch>.<version>`, in a view `.<taps>` behind it, then `~` and the rest of the lens.

/** Whether it can be a cursor. */
export const isCursor = (text) => /^(?=.{1,200}$)\w+(\.\d+){1,2}(~[\w.~-]*)?$/.test(text) && text === `${text}`;

const numbers = (cursor) => (cursor ?? "").split("~")[0].split(".");

/** Whether `cursor` is of the same epoch as `other`, and neither of its numbers is smaller. */
export function isAsNewAs(cursor, other) {
  const [epoch, version, taps = 0] = numbers(cursor);
  const [otherEpoch, otherVersion, otherTaps = 0] = numbers(other);
  return cursor === other || (epoch === otherEpoch && +version >= +otherVersion && +taps >= +otherTaps);
}

// What one table's following knows, and what it asks next. No input, no output, no clock: times are given in ms.

import { applyStage, freeze, reuse, Unfit } from "./stages.js";

export const wait = 20;
const longestPause = 32_000;
/** A poll that is answered sooner than this, in ms, with nothing, didn't wait. */
export const tooQuick = 1000;
/** Full jitter, up to 1, 2, 4 … 32 s. */
export const pauseAfter = (failures, luck) => luck * Math.min(longestPause, 1000 * 2 ** failures);
/** Members of a table that stand in a changeset's last stage where they changed, null where gone. */
const attributes = ["state", "problem", "title", "animation", "counts", "truncated", "window"];

export class Following {
  /** The table as the server told last: a frozen snapshot; null before the first. */
  server = null;
  cached = false;
  /** The problem after which nothing is asked any more. */
  refusal = null;
  /** What is shown may be old: it was paused, and not answered since. */
  unsure = false;
  /** In trouble from a failure until the next answer. */
  trouble = false;
  failures = 0;
  retryAt = 0;
  /** Until when the server asked us to stay away. */
  floor = 0;
  /** The next poll doesn't wait: after a failure, a pause, a hold, or to see an edit. */
  hasty = true;
  /** Our cursor is of no use: the next request asks for a snapshot. */
  lost = false;
  /** Never in a poll shared with others, once such a poll was refused as a whole. */
  alone = false;
  /** The slot to ask for, where the table is polled through caches; null where it isn't. */
  slot = null;
  resetBefore = false;
  quickBefore = false;
  /** The rows that are wanted, and those that the cursor stands for. */
  rows;
  cursorRows;

  constructor(rows, edges) {
    this.rows = rows;
    /** Whether polls through caches are possible: not with a view. */
    this.edges = edges;
  }

  get cursor() {
    return this.server?.cursor;
  }

  get asksAlone() {
    return this.lost || !this.server || this.cached || this.alone || this.slot !== null || this.rows !== this.cursorRows;
  }

  /** What to ask for now. */
  ask() {
    const after = this.lost ? undefined : this.cursor;
    const asked = { after };
    if (this.rows !== undefined && (!after || this.rows !== this.cursorRows)) asked.rows = this.rows;
    if (this.slot !== null && after && !asked.rows) asked.slot = this.slot;
    else asked.wait = this.hasty || !after || asked.rows ? 0 : wait;
    return asked;
  }

  /**
   * Takes the reply to what was asked, after so many ms. Returns what is odd about it: `early` where it came sooner
   * than one that says so little may, `again` for a reset after a reset; throws `Unfit`, with the table as it was,
   * where it isn't the answer to `asked`.
   */
  receive(reply, asked, elapsed) {
    if (typeof reply?.to !== "string" || (reply.from ?? undefined) !== asked.after) {
      this.lost = true;
      throw new Unfit(reply?.from);
    }
    try {
      this.server = this.#next(reply);
    } catch (error) {
      this.lost = true;
      throw error;
    }
    const reset = "reset" in reply;
    const settled = asked.after && !reset;
    const empty = !reset && !reply.stages.length;
    const quick = empty && (asked.wait || asked.slot) && elapsed < tooQuick;
    // A slot may just be over when it is asked for: only the second quick answer is one too many.
    const early = quick && (asked.slot === undefined || this.quickBefore);
    const again = reset && asked.after && this.resetBefore;
    this.quickBefore = quick;
    if ("slot" in reply) this.slot = reply.slot;
    else if (reset) this.slot = this.server.edges && this.edges ? 0 : null;
    if (asked.rows !== undefined) this.cursorRows = asked.rows;
    else if (reset) this.cursorRows = this.server.window?.rows;
    this.resetBefore = reset && asked.after;
    this.lost = this.cached = this.unsure = this.trouble = this.hasty = false;
    if (settled && !quick && (!empty || asked.wait || asked.slot)) this.failures = 0;
    return early ? "early" : again ? "again" : null;
  }

  #next(reply) {
    if ("reset" in reply) {
      const { snapshot } = reply;
      if (snapshot?.cursor !== reply.to || !Array.isArray(snapshot.sections)) throw new Unfit(reply.to);
      return freeze({ ...snapshot, sections: reuse(this.server?.sections ?? [], snapshot.sections) });
    }
    if (!Array.isArray(reply.stages)) throw new Unfit("stages");
    const next = { ...this.server, cursor: reply.to };
    for (const stage of reply.stages) {
      next.sections = applyStage(next.sections, stage);
      for (const name of attributes) {
        if (!(name in stage)) continue;
        next[name] = stage[name];
        if (stage[name] === null) delete next[name];
      }
    }
    return freeze(next);
  }

  /** Nothing more is said of a table whose poll shared with others brought others' news alone. */
  unmoved() {
    this.unsure = this.trouble = this.hasty = false;
    this.failures = 0;
  }

  /** A failure at `now`, with some `luck` between 0 and 1; not to be tried before `retryAfter`. Returns when to. */
  fail(now, luck, retryAfter = 0) {
    this.trouble = this.hasty = true;
    if (this.slot !== null) this.slot = 0;
    this.floor = now + retryAfter;
    return (this.retryAt = Math.max(this.floor, now + pauseAfter(this.failures++, luck)));
  }

  /** The page is seen again, or the network is back: ask now, unless the server asked for more patience. */
  wake() {
    this.hasty = true;
    this.retryAt = this.floor;
  }

  get connection() {
    if (this.refusal) return "refused";
    if (this.trouble) return "retrying";
    return this.cached || (this.unsure && this.server) ? "cached" : this.server ? "live" : "connecting";
  }
}

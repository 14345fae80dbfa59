// One table as an app sees it: the server's state with its own edits over it, and who observes it.

import { isAsNewAs } from "./cursor.js";
import { Edit, overlay } from "./edits.js";
import { Following } from "./following.js";
import { freeze } from "./stages.js";

/** How long a table without observers is followed on, in ms. */
const afterglow = 5000;
const mostRows = 10_000;

export class Table {
  #client;
  #listeners = new Set();
  #edits = [];
  #marked = new Map();
  #reasons = new Set();
  #holds = 0;
  #lingering = null;
  #ready = null;
  #sending = false;
  #replaced = null;

  constructor(client, segment, view, rows) {
    this.#client = client;
    this.segment = segment;
    this.view = view;
    this.step = rows;
    this.following = new Following(rows, view === undefined);
    this.#show();
  }

  // What is shown.

  /** The frozen snapshot of what is shown: the same object until something changes. */
  snapshot;

  #show() {
    const { server, refusal, connection } = this.following;
    const paused = connection !== "refused" && this.#reasons.size + this.#client.reasons.size > 0;
    this.snapshot = Object.freeze({
      table: this.segment, cursor: null, state: "loading", sections: Object.freeze([]), ...server,
      ...(server && { sections: overlay(server.sections, this.#edits, this.#marked) }),
      connection: paused ? "paused" : connection, refusal, edits: Object.freeze([...this.#edits]),
    });
  }

  /** Shows what is now, and tells the observers: `type` is `changes`, `reset`, `status` or `edits`. */
  publish(type, more) {
    const before = this.snapshot;
    this.#show();
    const change = Object.freeze({ type, before, after: this.snapshot, ...more });
    for (const listener of [...this.#listeners]) {
      try {
        listener(change);
      } catch (error) {
        // An observer's mistake is said aloud, and nobody else's trouble.
        queueMicrotask(() => {
          throw error;
        });
      }
    }
  }

  publishStatus() {
    const { connection, refusal } = this.snapshot;
    const before = this.snapshot;
    this.#show();
    if (this.snapshot.connection === connection && this.snapshot.refusal === refusal) this.snapshot = before;
    else this.publish("status", { before });
  }

  row(id) {
    for (const section of this.snapshot.sections) {
      const row = section.rows.find((row) => row.id === id);
      if (row) return row;
    }
  }

  // Observers.

  /** Follows the table until the function that it returns is called (the last one's end counts, after 5 s). */
  subscribe(listener) {
    const own = (change) => listener(change);
    this.#listeners.add(own);
    this.#client.clearTimeout(this.#lingering);
    this.#lingering = null;
    this.#start();
    return () => {
      if (!this.#listeners.delete(own) || this.#listeners.size) return;
      this.#lingering = this.#client.setTimeout(() => {
        this.#lingering = null;
        this.#client.plan();
      }, afterglow);
    };
  }

  #start() {
    this.#ready ??= this.#client.restore(this).then(() => {
      this.#ready = true;
      this.#client.plan();
    });
    this.#client.plan();
  }

  /** Takes what was kept of it, and of its edits. */
  restore(server, edits) {
    if (server && !this.following.server) {
      this.following.server = freeze(server);
      this.following.cached = true;
      this.publish("status");
    }
    for (const kept of edits ?? []) this.#edits.push(new Edit(this, kept));
    if (edits?.length) this.#send();
  }

  get isActive() {
    const observed = this.#listeners.size || this.#lingering !== null || this.#edits.some(({ state }) => state === "acknowledged");
    return this.#ready === true && observed && !this.#holds && !this.#reasons.size && !this.following.refusal;
  }

  pause(reason = "app") {
    this.#reasons.add(reason);
    this.#resumed();
  }

  resume(reason = "app") {
    if (this.#reasons.delete(reason)) this.#resumed();
  }

  #resumed() {
    this.following.hasty = this.following.unsure = true;
    this.publishStatus();
    this.#client.plan();
  }

  /**
   * Keeps the server's changes away, for a drag or a menu, until the function that it returns is called: then
   * everything since comes as one changeset.
   */
  hold() {
    this.#holds++;
    this.#client.plan();
    let held = true;
    return () => {
      if (!held) return;
      held = false;
      this.#holds--;
      this.following.hasty = true;
      this.#client.plan();
    };
  }

  /** Asks for further rows of a table that was asked for with `rows`; false where it has no more. */
  loadMore(count = this.step) {
    const { window } = this.snapshot;
    if (!window || window.rows === "all" || window.of <= window.rows) return false;
    const rows = Math.max(window.rows, +this.following.rows || 0) + count;
    this.following.rows = rows > mostRows ? "all" : rows;
    this.#client.plan();
    return true;
  }

  // Replies, from the client.

  receive(reply, asked, elapsed, bytes) {
    const before = this.snapshot;
    const oddity = this.following.receive(reply, asked, elapsed);
    this.#confirm("reset" in reply ? asked.number : 0, asked.number);
    const { server } = this.following;
    const same = server.sections === before.sections && server.cursor === before.cursor;
    if (same && this.following.connection === before.connection) return oddity;
    this.publish("reset" in reply ? "reset" : "changes", { reply, bytes });
    this.#client.keep(this);
    return oddity;
  }

  refuse(problem) {
    this.following.refusal = freeze(problem);
    this.#finish(this.#edits.filter(({ state }) => state === "acknowledged"), "acknowledged");
    this.publishStatus();
  }

  // Edits.

  add(body, place, options) {
    return this.#edit({ op: "add", body, place }, options);
  }
  patch(row, body, options) {
    return this.#edit({ op: "patch", row, body }, options);
  }
  delete(row) {
    return this.#edit({ op: "delete", row });
  }
  move(row, place) {
    return this.#edit({ op: "move", row, place });
  }
  tap(row, options) {
    return this.#edit({ op: "tap", row }, options);
  }
  action(row, action, body) {
    return this.#edit({ op: "action", row, action, body });
  }
  refresh() {
    return this.#edit({ op: "refresh" });
  }

  #edit(what, { show } = {}) {
    const edit = new Edit(this, { key: this.#client.newKey(), ...what }, show);
    this.#edits.push(edit);
    this.#start();
    this.#edited();
    this.#send();
    return edit;
  }

  retry(edit) {
    if (edit.state !== "unknown") return;
    Object.assign(edit, { state: "local", problem: null });
    edit.expect();
    this.#edited();
    this.#send();
  }

  dismiss(edit) {
    if (!["refused", "unknown"].includes(edit.state)) return;
    this.#edits = this.#edits.filter((other) => other !== edit);
    this.#edited();
  }

  #edited() {
    this.publish("edits");
    this.#client.keepEdits(this, this.#edits.filter((edit) => edit.isShown).map(({ what, row }) => ({ ...what, row })));
  }

  /** Until an addition is answered nobody knows which row it became: replies wait, so that it isn't shown twice. */
  get adding() {
    return this.#replaced;
  }

  async #send() {
    if (this.#sending) return;
    this.#sending = true;
    await this.#ready;
    const isWaiting = ({ state }) => state === "local" || state === "sent";
    for (let edit; (edit = this.#edits.find(isWaiting)); ) {
      edit.state = "sent";
      this.publish("edits");
      const answered = this.#client.carryOut(this, edit);
      this.#replaced = edit.op === "add" && edit.show ? answered : null;
      const outcome = await answered;
      this.#replaced = null;
      this.#take(edit, outcome);
    }
    this.#sending = false;
  }

  #take(edit, { state, answer, problem, number }) {
    if (state !== "acknowledged") {
      Object.assign(edit, { problem });
      this.#finish([edit], state, true);
    } else {
      Object.assign(edit, { state, answer, number });
      // Edits of a row that was only just added know it by the addition's key.
      for (const other of this.#edits) if (edit.op === "add" && other.row === edit.key) other.row = answer.id;
      this.#confirm(0, 0);
      if (edit.state === "acknowledged") this.following.hasty = true;
    }
    this.#edited();
    this.#client.plan();
  }

  /**
   * Confirms what the table is known to show: by its cursor, or by a snapshot asked for after the answer. `snapshot`
   * and `poll` number the request that was answered, 0 where none was.
   */
  #confirm(snapshot, poll) {
    const { following } = this;
    const waiting = this.#edits.filter(({ state }) => state === "acknowledged");
    const isSeen = (edit) => isAsNewAs(following.cursor, edit.answer.cursor) || snapshot > edit.number;
    const seen = waiting.filter(isSeen);
    if (seen.length) this.#finish(seen, "confirmed");
    if (seen.length === waiting.length || !poll) return;
    following.hasty = true;
    // Asked after the answer and still not there: this cursor will never tell.
    following.lost = waiting.some((edit) => !isSeen(edit) && poll > edit.number);
    if (following.lost) this.#client.postpone(this);
  }

  #finish(edits, state, stays = false) {
    if (!stays) this.#edits = this.#edits.filter((edit) => !edits.includes(edit));
    for (const edit of edits) {
      edit.state = state;
      edit.settle(edit);
    }
    this.#client.keepEdits(this, this.#edits.filter((edit) => edit.isShown).map(({ what, row }) => ({ ...what, row })));
  }
}

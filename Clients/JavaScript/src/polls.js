// The polls of one client: which tables are asked for together, when, and what becomes of the answers.

import { problemOf, isFinal } from "./edits.js";
import { tooQuick } from "./following.js";

/** The maximum number of tables in one poll. */
const mostMembers = 64;

export function makePolls(client, tables) {
  const { _clock: clock, _now: now, _luck: random, _request: request } = client;
  const channels = new Map();
  let timer, isPlanned;

  /** Looks what is to be asked, once all that happens now has happened. */
  const plan = () => {
    if (!isPlanned) queueMicrotask(act);
    isPlanned = true;
  };

  const callOff = (channel, name) => {
    channels.delete(name);
    channel.abort();
  };

  /** When the next poll may be: five a second, of which twenty can be saved up, whatever a service answers. */
  let due = -Infinity;

  const act = () => {
    isPlanned = false;
    if (client._isClosed()) return;
    // The tables that share a request, and the time when the next table is due.
    const groups = new Map();
    let next = Infinity;
    const answered = [...channels.values()].flatMap(({ signal, _tables }) => (signal.aborted ? _tables : []));
    for (const [key, table] of tables) {
      const { _following: following } = table;
      if (!table._isActive() || answered.includes(table)) continue;
      if (following._retryAt > now()) {
        next = Math.min(next, following._retryAt);
        continue;
      }
      const lens = table._lens();
      const alone = following._asksAlone && [key, following._searchKey];
      for (let part = 0; ; part++) {
        const name = JSON.stringify([following._hasty, alone || part]);
        if (!groups.has(name)) groups.set(name, { _keys: [], _tables: [], _cursors: new Map() });
        const { _keys, _tables, _cursors } = groups.get(name);
        // More are not to be asked for together, nor one lens of a table from two cursors.
        if (_keys.length === mostMembers || (_cursors.get(lens) ?? following._cursor) !== following._cursor) continue;
        _cursors.set(lens, following._cursor);
        _keys.push(key);
        _tables.push(table);
        break;
      }
    }
    // A channel's name says all that it asks for: one that is still wanted goes on.
    const wanted = new Map([...groups].map(([name, { _keys, _tables }]) => [name + _keys, _tables]));
    channels.forEach((channel, name) => {
      if (!wanted.delete(name) && !channel.signal.aborted) callOff(channel, name);
    });
    wanted.forEach((members, name) => {
      if (due > now()) next = Math.min(next, due);
      else {
        due = Math.max(due, now() - 3800) + 200;
        poll(name, members);
      }
    });
    clock.clearTimeout(timer);
    if (next < Infinity) timer = clock.setTimeout(plan, next - now());
  };

  const poll = async (name, members) => {
    // Called off, it is a channel no more; one that is still there and over has been answered.
    const channel = Object.assign(new AbortController(), { _tables: members });
    channels.set(name, channel);
    const mine = client._count();
    const start = now();
    const asked = members.map(({ _following }) => _following._ask());
    const [{ _search, _searchKey, ...query }] = asked;
    const isShared = client._tabs && query.wait && !members[0]._following._alone;
    const several = members.length > 1 || isShared;
    // Two screens of one table that ask the same are one pair.
    const pairs = [...new Set(members.map((table, index) => `${table._lens()}:${asked[index].after}`))];
    const pairOf = members.map((table, index) => pairs.indexOf(`${table._lens()}:${asked[index].after}`));
    const { status, body, retryAfter, bytes, _isProblem } = await (isShared
      ? client._tabs.ask(pairs, query.wait, channel)
      : request({
          path: several ? "changes" : `tables/${members[0]._segment}/changes`, controller: channel,
          query: several ? { after: pairs, wait: query.wait } : { ...query, view: members[0].view, ..._search },
        }));
    channel.abort(); // Used up, whoever has asked.
    if (channels.get(name) !== channel) return;
    const elapsed = now() - start;
    const luck = random();
    const newsOf = (table, index) => several
      ? [body?.changes].flat().find((change) =>
          change && (pairs[pairOf[index]].includes(";;") ? change.pair === pairOf[index] : change.pair === undefined && change.table === table._following._server.table))
      : body;
    const isEarly = query.wait && elapsed < tooQuick && !members.some(newsOf);
    const take = (table) => {
      const index = members.indexOf(table);
      const { _following: following } = table;
      const { after, slot } = asked[index];
      const news = newsOf(table, index);
      const problem = several && news?.problem;
      const code = problem ? problem.status : status;
      const isWord = problem || _isProblem;
      // Said by something on the way: of a login page nothing can be learnt, others may take no request for several tables.
      if (!isWord && isFinal(code)) following._alone = several && ![401, 403, 407].includes(code);
      if (isFinal(code) && (isWord || following._alone)) {
        // A 400 may be about the other pairs: two searches that fold alike are one lens to the service, which refuses the second.
        if (several && (!problem || [400, 401].includes(code))) following._alone = true;
        else if (code === 400 && slot !== undefined) following._slot = following._edges = null;
        else if (code === 400 && after) [following._lost, following._alone] = [true, false];
        else table._refuse(problemOf(code, problem || body));
        return;
      }
      let oddity = "early";
      if (code === 200) {
        try {
          if (news) oddity = table._receive(news, asked[index], mine, elapsed, bytes);
          else if (several && body.changes && !isEarly) oddity = table._unmoved(mine, query.wait);
        } catch {} // An answer that doesn't fit counts as one that came too early.
      }
      if (oddity === "again") following._postpone(now(), luck);
      if (oddity === "early") following._fail(now(), luck, retryAfter);
      table._publish("status");
    };
    // Tables whose addition's answer is on its way take theirs after it; the others go on.
    const late = members.map(({ _line }) => _line._adding());
    if (late.some(Boolean)) {
      channel._tables = members.filter((_, index) => late[index]);
      members.filter((_, index) => !late[index]).forEach(take);
      plan();
      await Promise.all(late);
      if (channels.get(name) !== channel) return;
    }
    channels.delete(name);
    channel._tables.forEach(take);
    plan();
  };

  return {
    _plan: plan,
    /** Gives back a poll's share of the rate: a person's own edit caused the answer, so the service isn't looping. */
    _refund: () => (due -= 200),
    _callOff: () => channels.forEach(callOff),
    _close() {
      clock.clearTimeout(timer);
      channels.forEach(callOff);
    },
  };
}

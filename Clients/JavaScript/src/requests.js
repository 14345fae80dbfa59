// The requests of one client: their tokens, their time-outs, and what is told of them to whoever listens.

import { problemOf } from "./edits.js";
import { freeze, must } from "./stages.js";

/** How long a token may be waited for, and how often a new one has everything tried again, in ms. */
const tokenPatience = 30_000;
const betweenTokens = 60_000;

/** The longest answer that is read, in bytes. */
const longest = 2 ** 28;

/** The result of an action, or undefined if it fails. */
export const attempt = async (action) => {
  try {
    return await action();
  } catch {}
};

/** `Retry-After`, in seconds or as a date, as ms from now, an hour at most; 0 where it says nothing. */
const msOf = (retryAfter) =>
  Math.min(3_600_000, Math.max(0, retryAfter * 1000 || Date.parse(retryAfter) - Date.now() || 0));

/** Events for a log: subscribers hear of each request and its end; the last failure is kept. */
export function makeEvents() {
  const listeners = new Set();
  const events = {
    lastError: null,
    subscribe(listener) {
      const own = (event) => listener(event);
      listeners.add(own);
      return () => listeners.delete(own);
    },
    _tell(event) {
      freeze(event);
      if (event.problem) events.lastError = event;
      // A listener's mistake is said aloud, as a promise that nobody catches, and is nobody else's trouble.
      listeners.forEach(async (listener) => listener(event));
    },
  };
  return events;
}

/** `troubled` hears why nothing gets through, and nothing where that is over; `renewed` that there is another token. */
export function makeRequests({ base, token, cells, headers, clock, ask, events, troubled, renewed }) {
  const now = () => clock.performance.now();
  let tokens = {};
  let isOpen, bearer;
  let lastRenewed = -Infinity;

  /** The result of `action`, or a failure where it takes longer than so many ms. */
  const inTime = (limit, action) => new Promise((resolve, reject) => {
    const timer = clock.setTimeout(() => reject("no answer in time"), limit);
    action().finally(() => clock.clearTimeout(timer)).then(resolve, reject);
  });

  /** The caller's token: asked for once for all who want it at this moment, and given up where it never comes. */
  const tokenOf = async (fresh) => {
    if (typeof token !== "function") return token;
    const mine = tokens;
    try {
      const given = await (mine[fresh] ??= inTime(tokenPatience, async () => token({ fresh })).finally(() => delete mine[fresh]));
      if (mine === tokens) troubled();
      return given;
    } catch (error) {
      if (mine === tokens) troubled(`The token provider failed: ${error?.message ?? error}`);
      throw error;
    }
  };

  return {
    _now: now,
    _inTime: inTime,
    _isOpen: () => isOpen,
    /** Asks anew for tokens. */
    _forget: () => (tokens = {}),
    _useToken(given) {
      token = given;
      tokens = {};
      troubled();
    },

    /** The answer's status, JSON, patience asked for and size; `{ status: 0 }` where there is none. */
    async _request({ method = "GET", path, query = {}, body, key, _headers, controller = new AbortController() }) {
      const search = Object.entries(query).flatMap(([name, values]) =>
        [values ?? []].flat().map((value) => `&${name}=${encodeURIComponent(value)}`)).join("");
      const send = async (fresh) => {
        const given = await tokenOf(fresh);
        // Another one: what waited for it is tried again.
        const isNew = bearer && given !== bearer && now() - lastRenewed > betweenTokens;
        bearer = given;
        if (isNew) {
          lastRenewed = now();
          renewed();
        }
        return ask(`${base}/v1/${path}${search.replace("&", "?")}`, {
          method, signal: controller.signal, cache: "slot" in query ? undefined : "no-store",
          body: JSON.stringify(body),
          // Redirected, a POST would become a GET, and its answer one to an edit.
          redirect: key && "error",
          headers: {
            Accept: "application/json",
            ...(cells && { "Accept-Cells": [cells].flat().join(", ") }),
            ...(bearer && { Authorization: `Bearer ${bearer}` }),
            ...(body !== undefined && { "Content-Type": "application/json" }),
            ..._headers,
            ...headers,
          },
        });
      };
      let reply;
      const start = now();
      try {
        // A request is given up ten seconds after its wait, which is at most 55 s.
        reply = await inTime(((query.wait ?? 55) + 10) * 1000, async () => {
          let response = await send(false);
          if (response.status === 401 && typeof token === "function") response = await send(true);
          const { status, headers } = response;
          must(headers.get("Content-Length") <= longest, "length");
          const reader = response.body?.getReader();
          const decoder = new TextDecoder();
          // Some platforms, React Native's among them, give answers only whole.
          let text = reader ? "" : await response.text();
          let bytes = 0;
          for (let part; (part = await reader?.read())?.value; ) {
            // An answer in chunks does not say its length.
            must((bytes += part.value.length) <= longest, "length");
            text += decoder.decode(part.value, { stream: true });
          }
          // Only JSON can be the service's answer. Of anything else the status alone counts.
          const body = await attempt(() => JSON.parse(text));
          return {
            status, retryAfter: msOf(headers.get("Retry-After")), bytes, body,
            _isProblem: body?.title && /^application\/problem\+json/i.test(headers.get("Content-Type")),
          };
        });
      } catch (error) {
        reply = { status: 0, body: { title: `${error?.message ?? error}`, status: 0 } };
      }
      const isOff = controller.signal.aborted;
      controller.abort();
      const { status, bytes } = reply;
      events._tell({
        type: isOff ? "cancelled" : "request", method, path, status, ms: now() - start, bytes, key,
        ...(!isOff && (!status || status > 399) && {
          problem: problemOf(status, (!status || reply._isProblem) && reply.body),
        }),
      });
      // A cancelled request proves nothing. Any other one tells whether the service itself has answered.
      if (!isOff) isOpen = reply._isProblem || ["cursor", "to", "changes"].some((name) => reply.body?.[name]);
      return reply;
    },
  };
}

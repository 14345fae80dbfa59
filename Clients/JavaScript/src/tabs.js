// One poll for all tabs of a browser. Tabs of one service and caller choose a leader by a Web Lock; it waits for what all
// of them wait for, and tells them by a BroadcastChannel. Each tab keeps its own tables and cursors, so that a leader
// that goes takes nothing with it: the next one is told anew what everybody waits for.

/** How often a tab that is seen looks whether the leader answers, and how long it waits for that, in ms. */
const beat = 500;
const patience = 900;
/** The leader waits so many ms, so that tabs that ask after one reply share the next request. */
const gathering = 20;
/** Like the client's `tooQuick`: an empty reply doesn't answer a tab that has only just asked. */
const tooQuick = 1000;
/** How long a poll of the leader waits, in s. */
const longest = 20;
/** A tab that said nothing for so long, in ms, is gone: one that lives asks anew every minute at least. */
const forgotten = 150_000;
const mostPairs = 64;
const mostAnswers = 256;
/** The length of all answers that the leader keeps, but for those that came last. */
const mostBytes = 4_000_000;

const lensOf = (pair) => pair.slice(0, pair.lastIndexOf(":"));
const hasNews = ({ reset, problem, stages }) => !!(reset || problem || stages?.length);

/** For the client option `tabs`, one for each client; `undefined` where a browser or page (not HTTPS) has no Web Locks. */
export function sharedTabs({
  locks = globalThis.navigator?.locks, Channel = globalThis.BroadcastChannel, clock = globalThis, page = globalThis.document,
} = {}) {
  if (!locks || !Channel) return undefined;
  const own = globalThis.crypto?.randomUUID?.() ?? `${Math.random()}`;
  const now = () => clock.performance.now();
  const isSeen = () => page?.visibilityState !== "hidden";
  const asks = new Set();
  let name, send, channel, timer, pinged, release, waiting;
  let isClosed = false;
  let isPosted = true;
  /** The leader's state: each tab's cursors, the polls under way, and the last answer to each request. */
  let lead = null;

  const say = (type, more) => channel.postMessage({ type, from: own, ...more });

  // A tab's own requests.

  /** Tells the leader all that this tab waits for, once all that happens now has happened. */
  const post = () => {
    if (!isPosted || isClosed) return;
    isPosted = false;
    queueMicrotask(() => {
      isPosted = true;
      if (isClosed) return;
      const pairs = [...new Set([...asks].flatMap((ask) => ask.pairs))];
      if (lead) hear(own, pairs);
      else say("asks", { pairs });
      watch();
    });
  };

  const end = (ask, reply) => {
    if (!asks.delete(ask)) return;
    clock.clearTimeout(ask.dog);
    ask.resolve(reply);
    post();
  };

  /** A poll of the leader was answered: those that waited for something in it have their reply. */
  const told = ({ pairs, status, retryAfter, bytes, changes, isOver }) => {
    for (const ask of [...asks]) {
      if (!ask.pairs.some((pair) => pairs.includes(pair))) continue;
      const age = now() - ask.since;
      if (status > 399 && status < 500 && status !== 429) {
        // The leader's login says nothing of this tab's: it asks for itself.
        asks.delete(ask);
        clock.clearTimeout(ask.dog);
        send(ask.pairs, ask.wait, ask.controller).then(ask.resolve);
        post();
      } else if (status !== 200) end(ask, { status, retryAfter });
      else {
        const own = ask.pairs.flatMap((pair, index) =>
          changes.filter(([asked]) => asked === pair).map(([, change]) => ({ ...change, pair: pair.includes(";;") ? index : undefined })));
        if (own.some(hasNews) || ((own.length || isOver) && age > tooQuick) || age > ask.wait * 1000) end(ask, { status, retryAfter, bytes, body: { changes: own } });
      }
    }
  };

  // The leader's.

  /** A tab waits for these from now on. */
  const hear = (tab, pairs) => {
    if (pairs.length) lead.tabs.set(tab, { pairs, at: now() });
    else lead.tabs.delete(tab);
    const known = pairs.filter((pair) => lead.answers.has(pair));
    if (known.length) tell({ pairs: known, status: 200, changes: known.map((pair) => [pair, lead.answers.get(pair).change]) });
    gather();
  };

  const tell = (message) => {
    say("told", message);
    told(message);
  };

  const gather = () => {
    if (lead.isGathering) return;
    lead.isGathering = true;
    const mine = lead;
    const go = () => {
      if (lead !== mine) return;
      mine.isGathering = false;
      run();
    };
    // The timers of a page that isn't seen come late.
    if (isSeen()) clock.setTimeout(go, gathering);
    else queueMicrotask(go);
  };

  /** Polls for all that is waited for: one request, unless one lens of a table is waited for from two cursors. */
  const run = () => {
    for (const [tab, { at }] of lead.tabs) if (now() - at > forgotten) lead.tabs.delete(tab);
    const wanted = [...new Set([...lead.tabs.values()].flatMap(({ pairs }) => pairs))].filter((pair) => !lead.answers.has(pair));
    if (wanted.every((pair) => [...lead.polls].some(({ pairs }) => pairs.includes(pair)))) return;
    const groups = [];
    for (const pair of wanted) {
      const fits = (group) => group.length < mostPairs && !group.some((other) => lensOf(other) === lensOf(pair));
      const group = groups.find(fits);
      if (group) group.push(pair);
      else groups.push([pair]);
    }
    stopPolls();
    groups.forEach(poll);
  };

  const stopPolls = () => {
    lead.polls.forEach(({ controller }) => controller.abort());
    lead.polls.clear();
  };

  const poll = async (pairs) => {
    const mine = { pairs, controller: new AbortController() };
    const leading = lead;
    lead.polls.add(mine);
    const start = now();
    // With a lens, be it none, each is answered by its number.
    const { status, body, retryAfter, bytes } = await send(
      pairs.map((pair) => (pair.includes(";;") ? pair : `${lensOf(pair)};;${pair.slice(lensOf(pair).length)}`)), longest, mine.controller);
    if (lead !== leading || !lead.polls.delete(mine)) return;
    const list = body?.changes;
    const changes = Array.isArray(list) ? list.filter((change) => pairs[change?.pair]).map((change) => [pairs[change.pair], change]) : [];
    const news = changes.filter(([, change]) => hasNews(change));
    for (const [pair, change] of news) {
      lead.answers.delete(pair);
      if (!change.problem) lead.answers.set(pair, { change, size: bytes / news.length });
    }
    let kept = [...lead.answers.values()].reduce((sum, { size }) => sum + size, 0);
    for (const [pair, { size }] of lead.answers) {
      if ((lead.answers.size <= mostAnswers && !(kept > mostBytes)) || pairs.includes(pair)) break;
      lead.answers.delete(pair);
      kept -= size;
    }
    // One that is over before it has waited is a failure, as it is for a tab that polls by itself.
    const isReply = status === 200 && list && (news.length || now() - start > tooQuick);
    tell({ pairs, status: status === 200 && !isReply ? 0 : status, retryAfter, bytes, changes, isOver: !changes.length });
    // Tabs that live ask for what fails when it is their time; others may be gone.
    if (isReply && !news.some(([, { problem }]) => problem)) gather();
    else clock.setTimeout(() => lead === leading && gather(), 5000);
  };

  // Leadership.

  const hold = () => new Promise((end) => {
    if (isClosed) return end();
    release = end;
    lead = { tabs: new Map(), polls: new Set(), answers: new Map() };
    clock.clearTimeout(timer);
    timer = pinged = undefined;
    say("lead");
    post();
  });

  /** Another one has taken it over, or it was given back. */
  const lost = () => {
    if (lead) stopPolls();
    lead = release = null;
    if (isClosed) return;
    queue();
    post();
  };

  const queue = () => {
    const mine = (waiting = new AbortController());
    locks.request(name, { signal: mine.signal }, hold).then(lost, () => mine.signal.aborted || lost());
  };

  const steal = () => {
    waiting?.abort();
    locks.request(name, { steal: true }, hold).then(lost, lost);
  };

  /** A tab that is seen and waits for something looks whether there is a leader that answers. */
  const watch = () => {
    if (timer || lead || !asks.size || !isSeen() || isClosed) return;
    timer = clock.setTimeout(() => {
      timer = undefined;
      if (lead || !asks.size || isClosed) return;
      if (pinged !== undefined && now() - pinged > patience) {
        pinged = undefined;
        return steal();
      }
      if (pinged === undefined) {
        pinged = now();
        say("ping");
      }
      watch();
    }, beat);
  };

  const listen = ({ data: { type, from, ...more } }) => {
    if (from === own || isClosed) return;
    if (type === "asks" && lead) hear(from, more.pairs);
    if (type === "ping" && lead) say("pong", { isSeen: isSeen() });
    if (["pong", "told", "lead"].includes(type)) pinged = undefined;
    if (type === "told") told(more);
    if (type === "lead" && !lead) post();
    // Timers of a page that isn't seen come late: one that is seen leads better.
    if (type === "pong" && !lead && !more.isSeen && isSeen()) steal();
  };

  const turned = () => {
    if (isSeen()) watch();
  };
  const frozen = () => release?.();

  return {
    /** Begins: `scope` is whose tabs these are, `request(pairs, wait, controller)` asks the service for them. */
    open(scope, request) {
      [name, send] = [`tablecast tabs ${scope}`, request];
      channel = new Channel(name);
      channel.onmessage = listen;
      channel.unref?.();
      page?.addEventListener("visibilitychange", turned);
      page?.addEventListener("freeze", frozen);
      queue();
    },

    /** Waits, by whichever tab leads: resolves as a poll of these pairs would. */
    ask: (pairs, wait, controller) => new Promise((resolve) => {
      const ask = { pairs, wait, controller, since: now(), resolve };
      ask.dog = clock.setTimeout(() => end(ask, { status: 0 }), (wait + longest + 5) * 1000);
      asks.add(ask);
      controller.signal.addEventListener("abort", () => end(ask, { status: 0 }));
      post();
    }),

    close() {
      isClosed = true;
      clock.clearTimeout(timer);
      for (const ask of [...asks]) end(ask, { status: 0 });
      waiting?.abort();
      say("asks", { pairs: [] });
      if (lead) stopPolls();
      release?.();
      channel.close();
      page?.removeEventListener("visibilitychange", turned);
      page?.removeEventListener("freeze", frozen);
    },
  };
}

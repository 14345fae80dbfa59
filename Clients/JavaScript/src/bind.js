// A table in the page: one node for each row and header, kept by identity. Nodes are moved, never made anew, so that
// focus, selection and whatever else lives in them stays. Of a long table only the rows near what can be seen are nodes.

import { Slice } from "./slice.js";

/** How long an animation takes, in ms, and how many of them one change may have. */
const duration = 200;
const mostAnimations = 60;

/** The positions of a longest increasing subsequence: what stays where it is while the rest moves. */
function staying(numbers) {
  const ends = [];
  const before = [];
  numbers.forEach((number, index) => {
    if (number < 0) return;
    let low = 0;
    let high = ends.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (numbers[ends[middle]] < number) low = middle + 1;
      else high = middle;
    }
    before[index] = ends[low - 1];
    ends[low] = index;
  });
  const result = new Set();
  for (let index = ends.at(-1); index !== undefined; index = before[index]) result.add(index);
  return result;
}

/**
 * Keeps the children of `element` as the table is. `create(row)` makes a row's node and `update(node, row, before)`
 * fills it, again whenever the row changes; `header(section, node)` and `footer` make or refill a section's, or return
 * nothing; `empty(snapshot)` is what stands there without rows; `drawn()` hears that all nodes stand in their places.
 * Returns the function that ends it.
 */
export function bindTable(element, table, { create, update = () => {}, header, footer, empty, drawn }) {
  // By what they are and their identity, which may be any text: a row's key is never a header's, nor the placeholder's.
  let nodes = new Map();
  let frame = null;
  const schedule = () => (frame ??= requestAnimationFrame(render));
  const slice = new Slice(table, element, { header, footer }, schedule);

  function wanted(snapshot) {
    const list = new Map();
    const title = (kind, section, make) => {
      const key = `${kind} ${section.id}`;
      const old = nodes.get(key);
      const content = section[kind];
      const node = old && old.content === content ? old.node : content && make?.(section, old?.node);
      if (node) list.set(key, { node, content });
    };
    for (const section of snapshot.sections) {
      title("header", section, header);
      let number = section.first;
      for (const row of section.rows) {
        const key = `row ${row.id}`;
        const old = nodes.get(key);
        const node = old?.content.cellIdentifier === row.cellIdentifier ? old.node : create(row);
        if (old?.content !== row || old.node !== node) update(node, row, old?.content);
        // A cut list tells its listeners where in it they are.
        const isNumbered = snapshot.isCut && number !== undefined;
        if (isNumbered) {
          const isLine = node.getAttribute("role") === "row";
          node.setAttribute(isLine ? "aria-rowindex" : "aria-posinset", ++number);
          if (!isLine) node.setAttribute("aria-setsize", snapshot.window?.of ?? snapshot.counts?.rows ?? -1);
        } else if (old?.isNumbered) {
          for (const name of ["rowindex", "posinset", "setsize"]) node.removeAttribute(`aria-${name}`);
        }
        list.set(key, { node, content: row, isRow: true, isNumbered });
      }
      title("footer", section, footer);
    }
    const node = list.size || snapshot.isCut ? null : empty?.(snapshot);
    if (node) list.set("empty", { node });
    return list;
  }

  function render() {
    frame = null;
    // Of the shadow that the list stands in: to the document its host has the focus.
    const root = element.getRootNode();
    const focused = root.activeElement;
    slice.kept = [...nodes.values()].find(({ node, isRow }) => isRow && node.contains(focused));
    const { snapshot, scroller } = slice;
    const wishes = snapshot.animation ?? {};
    const calm = matchMedia("(prefers-reduced-motion: reduce)").matches || !nodes.size || wishes.insert === "none";
    const top = Math.max(0, scroller.getBoundingClientRect().top);
    // The place of what can be seen.
    const places = new Map();
    for (const [key, { node }] of nodes) {
      const place = node.getBoundingClientRect();
      if (place.bottom <= top) continue;
      if (place.top > innerHeight || places.size > mostAnimations) break;
      places.set(key, place);
    }
    const list = wanted(snapshot);
    const entries = [...list];
    const order = new Map([...nodes.keys()].map((key, index) => [key, index]));
    const isKept = ([key, { node }]) => nodes.get(key)?.node === node;
    const stay = staying(entries.map((entry) => (isKept(entry) ? order.get(entry[0]) : -1)));
    for (const [key, { node, isRow }] of nodes) {
      if (list.get(key)?.node === node) continue;
      if (node.contains(focused)) {
        const near = entries.find(([other, entry]) => entry.isRow && order.get(other) > order.get(key));
        queueMicrotask(() => (near ?? entries.findLast(([, entry]) => entry.isRow))?.[1].node.focus?.({ preventScroll: true }));
      }
      if (calm || wishes.delete === "none" || !isRow || !places.has(key) || list.has(key)) node.remove();
      else {
        const { offsetTop, offsetLeft, offsetWidth } = node;
        Object.assign(node.style, { position: "absolute", top: `${offsetTop}px`, left: `${offsetLeft}px`, width: `${offsetWidth}px` });
        node.inert = true;
        node.animate({ opacity: [1, 0] }, duration).finished.finally(() => node.remove());
      }
    }
    for (let index = entries.length - 1, next = slice.behind; index >= 0; index--) {
      const { node } = entries[index][1];
      if (!stay.has(index)) {
        if (element.moveBefore && node.parentNode === element) element.moveBefore(node, next);
        else element.insertBefore(node, next);
      }
      next = node;
    }
    if (focused !== root.activeElement && element.contains(focused)) focused.focus({ preventScroll: true });
    nodes = list;
    slice.place();
    slice.measure();
    // The anchor is the first visible row that neither goes nor moves among the others. A list whose beginning can be
    // seen has none, nor has one that another element scrolls now.
    const isBegun = scroller === element ? scroller.scrollTop > 0 : element.getBoundingClientRect().top < top;
    const anchor = isBegun && scroller === slice.scroller &&
      entries.find(([key, { isRow }], index) => isRow && stay.has(index) && places.has(key));
    if (anchor) {
      scroller.scrollTop += anchor[1].node.getBoundingClientRect().top - places.get(anchor[0]).top;
    }
    slice.settle();
    drawn?.();
    if (calm) return;
    let left = mostAnimations;
    for (const [key, { node }] of list) {
      const before = places.get(key);
      if (!before && order.has(key)) continue;
      const now = node.getBoundingClientRect();
      if (now.bottom < top) continue;
      if (now.top > innerHeight || !left--) break;
      if (!before) node.animate({ opacity: [0, 1] }, duration);
      else if (before.top !== now.top) {
        node.animate({ transform: [`translateY(${before.top - now.top}px)`, "none"] }, { duration, easing: "ease-out" });
      }
    }
  }

  const stop = table.subscribe(schedule);
  render();
  return () => {
    stop();
    cancelAnimationFrame(frame);
    slice.end();
    for (const { node } of nodes.values()) node.remove();
  };
}

// A long table in a short list: only rows near what can be seen are nodes, and a table with a window is asked for the
// rows that are scrolled to. It has the face of a table, so that it is bound as any.

const still = Object.freeze({ insert: "none", delete: "none", reload: "none" });
/** Up to so many lines all of them are nodes. */
const few = 400;
/** Lines beyond what can be seen, on each side. */
const margin = 20;
/** The height of a line before any was measured, in px; no list is higher than `highest`, as browsers can't. */
const guess = 44;
const highest = 8_000_000;
/** How long somebody scrolls before rows are asked for, in ms; windows begin and end at multiples of `step`. */
const pause = 80;
const step = 50;

/**
 * The element that scrolls `element`. An ancestor with `overflow: auto` doesn't where its overflow is the viewport's
 * (of body, if the root has none), nor while its content isn't higher than itself.
 */
function scrollerOf(element) {
  const { body, documentElement: root } = document;
  for (let one = element; one; one = one.parentElement) {
    if (one === body && getComputedStyle(root).overflow === "visible") continue;
    if (/auto|scroll/.test(getComputedStyle(one).overflowY) && one.scrollHeight > one.clientHeight + 1) return one;
  }
  return document.scrollingElement ?? root;
}

/** How many lists each scroller has: where there are any, they hold the scroll position, not the browser. */
const lists = new WeakMap();

function countLists(scroller, change) {
  const count = (lists.get(scroller) ?? 0) + change;
  lists.set(scroller, count);
  scroller.style.overflowAnchor = count ? "none" : "";
}

export class Slice {
  #table;
  #element;
  #draw;
  #from = 0;
  #to = 0;
  #height = guess;
  /** How far the list is beyond where its scroller is, in px: not 0 where it is higher than a browser can. */
  #offset = 0;
  #scrolled = 0;
  #lines = 0;
  #cut = null;
  /** The row that has the focus, as `content`, and its `node`: it stays wherever the list is scrolled to, as somebody may write in it. */
  kept;
  /** The elements that take the room of the lines before and after the nodes, and between these and the kept one. */
  #spaces = ["", "", ""].map(() => {
    const space = document.createElement("div");
    space.setAttribute("role", "presentation");
    return space;
  });
  #timer = null;
  #asked = null;

  /** `hasTitles` says which of `header` and `footer` are drawn. */
  constructor(table, element, hasTitles, draw) {
    [this.#table, this.#element, this.#draw] = [table, element, draw];
    this.hasTitles = hasTitles;
    this.onscroll = () => this.#moved();
    this.sizes = globalThis.ResizeObserver ? new ResizeObserver(this.onscroll) : null;
    this.#findScroller();
  }

  /** Listens to the list's scroller, which may be another one when the list has another height. */
  #findScroller() {
    const scroller = scrollerOf(this.#element);
    if (scroller === this.scroller) return;
    this.#leaveScroller();
    this.scroller = scroller;
    countLists(scroller, 1);
    this.target = scroller === document.scrollingElement ? window : scroller;
    this.target.addEventListener("scroll", this.onscroll, { passive: true });
    this.sizes?.observe(scroller);
  }

  #leaveScroller() {
    if (!this.scroller) return;
    countLists(this.scroller, -1);
    this.target.removeEventListener("scroll", this.onscroll);
    this.sizes?.disconnect();
  }

  end() {
    this.#leaveScroller();
    clearTimeout(this.#timer);
    for (const space of this.#spaces) space.remove();
  }

  /** The element after the last line, or null. */
  get behind() {
    return this.#spaces[1].isConnected ? this.#spaces[1] : null;
  }

  get #view() {
    return this.scroller.clientHeight || innerHeight;
  }

  /** How much of the list's beginning is above what can be seen, in px. */
  get #above() {
    const top = this.target === window ? 0 : this.scroller.getBoundingClientRect().top;
    return Math.max(0, top - (this.#spaces[0].isConnected ? this.#spaces[0] : this.#element).getBoundingClientRect().top);
  }

  get #isHigher() {
    return this.#lines * this.#height > highest;
  }

  #moved() {
    this.#findScroller();
    const { whole, isAll, begin, end } = this.#cut ?? {};
    if (!whole || isAll) return;
    const view = this.#view;
    const above = this.#above;
    const real = this.#lines * this.#height;
    const room = Math.max(1, real - view);
    if (!this.#isHigher) this.#offset = 0;
    else {
      const span = highest - view;
      const edge = 2 * view + margin * this.#height;
      if (Math.abs(above - this.#scrolled) > 2 * view) this.#offset = (above / span) * room - above;
      const at = Math.min(room, Math.max(0, above + this.#offset));
      const isNear = above < edge ? at > 2 * edge : above > span - edge && at < room - 2 * edge;
      if (above <= 0) this.#offset = 0;
      else if (above >= span - 1) this.#offset = room - span;
      else if (isNear) {
        // By the wheel the end of the bar was reached before that of the list.
        const better = (at / room) * span;
        this.#offset = at - better;
        this.scroller.scrollTop += better - above;
      }
    }
    this.#scrolled = this.#above;
    const first = this.#first;
    const last = first + this.#count;
    // Where nodes would begin: none stand for lines that the table doesn't have yet.
    const from = Math.max(begin, Math.min(end, first));
    if (Math.abs(from - this.#from) > margin / 2 || (from === begin && this.#from > begin) || (last >= this.#lines && this.#to < this.#lines && whole === this.#table.snapshot && this.#isLoaded(this.#to))) {
      this.#cut = null;
      this.#draw();
    }
    this.#want();
  }

  /** Whether the table has the line. */
  #isLoaded(line) {
    const { window } = this.#table.snapshot;
    return !window || line < (window.from ?? 0) + window.rows;
  }

  get #count() {
    return Math.ceil(this.#view / this.#height) + 2 * margin;
  }

  get #first() {
    const first = Math.floor((this.#scrolled + this.#offset) / this.#height) - margin;
    return Math.max(0, Math.min(first, this.#lines - this.#count));
  }

  /** Asks for the rows that can be seen, and some around them, where the table's window doesn't have them. */
  #want() {
    const { window } = this.#table.snapshot;
    if (!window || !this.#table.show || this.#timer !== null) return;
    this.#timer = setTimeout(() => {
      this.#timer = null;
      const { window } = this.#table.snapshot;
      if (!window || window.rows === "all") return;
      const { from = 0, rows, of } = window;
      const count = this.#count;
      const first = Math.max(0, Math.min(Math.floor((this.#scrolled + this.#offset) / this.#height), of - count + 2 * margin));
      const last = Math.min(of, first + count - margin);
      if (Math.max(0, first - margin / 2) >= from && last <= from + rows) return;
      const start = Math.max(0, Math.floor((first - 2 * count) / step) * step);
      const end = Math.min(start + 10_000, Math.ceil((last + 2 * count) / step) * step) - 1;
      const range = `${start}-${end}`;
      if (range !== this.#asked) this.#table.show((this.#asked = range));
    }, pause);
  }

  /** Learns of the lines that are drawn how high they are, and what scrolls them. */
  measure() {
    const { children } = this.#element;
    const count = children.length - 2;
    if (count > 5 && this.behind && !(this.#cut?.kept >= 0) && !this.#element.querySelector(":scope > [inert]")) {
      const height = (children[count].getBoundingClientRect().bottom - children[1].getBoundingClientRect().top) / count;
      // A little more or less would move all that is below for nothing.
      if (height > 8 && Math.abs(height / this.#height - 1) > 0.03) {
        // The visible rows stay the same.
        if (this.#isHigher) this.#offset = ((this.#scrolled + this.#offset) * height) / this.#height - this.#scrolled;
        this.#height = height;
        this.place();
      }
    }
    this.#findScroller();
  }

  /** All stands where it is to be. */
  settle() {
    this.#scrolled = this.#above;
    this.#moved();
    this.#want();
  }

  /** Makes room for the lines before and behind those that are nodes. */
  place() {
    if (!this.#cut) return;
    const { from, to, isAll, kept, node } = this.#cut;
    const [before, behind, between] = this.#spaces;
    if (isAll) {
      for (const space of this.#spaces) space.remove();
      return;
    }
    if (!before.isConnected) {
      this.#element.prepend(before);
      this.#element.append(behind);
    }
    const whole = Math.min(highest, this.#lines * this.#height);
    const at = (line) => Math.max(0, Math.min(whole, line * this.#height - this.#offset));
    const start = at(from);
    const end = start + (to - from) * this.#height;
    const own = at(kept);
    [
      kept < from ? own : start,
      whole - (kept >= to ? own + this.#height : end),
      kept < from ? start - own - this.#height : own - end,
    ].forEach((height, index) => (this.#spaces[index].style.height = `${Math.max(0, height)}px`));
    if (kept >= 0) node[kept < from ? "after" : "before"](between);
    else between.remove();
  }

  /** The table's snapshot, cut to what is near; sections have the number of their first row, from 0, as `first`. */
  get snapshot() {
    const whole = this.#table.snapshot;
    if (this.#cut?.whole === whole) return this.#cut.snapshot;
    const { from: before = 0, of } = whole.window ?? {};
    const titlesOf = (section) => [section.header && this.hasTitles.header ? 1 : 0, section.footer && this.hasTitles.footer ? 1 : 0];
    let [lines, count] = [0, 0];
    for (const section of whole.sections) {
      const [header, footer] = titlesOf(section);
      lines += header + section.rows.length + footer;
      count += section.rows.length;
    }
    const after = Math.max(0, (of ?? 0) - before - count);
    this.#lines = before + lines + after;
    const isAll = this.#lines <= few;
    const isMoved = !this.#cut || (this.#cut.whole.window?.from ?? 0) !== before;
    let from = 0;
    let to = lines;
    if (!isAll) {
      const first = this.#first;
      from = Math.max(0, Math.min(lines, first - before));
      to = Math.max(from, Math.min(lines, first + this.#count - before));
    }
    let at = 0;
    let rowsBefore = before;
    let kept;
    const sections = [];
    for (const section of isAll ? [] : whole.sections) {
      const [header, footer] = titlesOf(section);
      const start = at + header;
      const end = start + section.rows.length;
      const rows = end <= from || start >= to ? [] : section.rows.slice(Math.max(0, from - start), Math.max(0, to - start));
      if (at + header + section.rows.length + footer > from && at < to) {
        sections.push({
          ...section, header: header && at >= from ? section.header : null, footer: footer && end < to ? section.footer : null, rows,
          first: rowsBefore + Math.max(0, from - start),
        });
      }
      const index = this.kept ? section.rows.findIndex(({ id }) => id === this.kept.content.id) : -1;
      const line = start + index;
      if (index >= 0 && (line < from || line >= to)) {
        kept = before + line;
        const part = { ...section, header: null, footer: null, rows: [section.rows[index]], first: rowsBefore + index };
        sections[line < from ? "unshift" : "push"](part);
      }
      at = end + footer;
      rowsBefore += section.rows.length;
    }
    this.#from = before + from;
    this.#to = before + to;
    const snapshot = isAll ? whole : { ...whole, sections, animation: isMoved ? still : whole.animation, isCut: true };
    this.#cut = { whole, isAll, snapshot, from: this.#from, to: this.#to, begin: before, end: before + lines, kept, node: this.kept?.node };
    return snapshot;
  }
}

// A long table in a short list: only the rows near what can be seen are nodes. It has the face of the client's table,
// so that `bindTable` binds it as it binds any.

const still = Object.freeze({ insert: "none", delete: "none", reload: "none" });
/** Rows beyond what can be seen, on each side. */
const margin = 20;
const guess = 46;

export class Scrolling {
  #table;
  #scroller;
  #list;
  #listeners = new Set();
  #from = 0;
  #height = guess;
  #sliced = null;

  constructor(table, scroller, list) {
    this.#table = table;
    this.#scroller = scroller;
    this.#list = list;
    this.onscroll = () => this.#scrolled();
    scroller.addEventListener("scroll", this.onscroll, { passive: true });
  }

  end() {
    this.#scroller.removeEventListener("scroll", this.onscroll);
  }

  get #count() {
    return Math.ceil(this.#scroller.clientHeight / this.#height) + 2 * margin;
  }

  subscribe(listener) {
    this.#listeners.add(listener);
    const stop = this.#table.subscribe(listener);
    return () => {
      this.#listeners.delete(listener);
      stop();
    };
  }

  #scrolled() {
    const nodes = this.#list.childElementCount;
    if (nodes > 10) {
      const style = getComputedStyle(this.#list);
      const content = this.#list.scrollHeight - parseFloat(style.paddingTop) - parseFloat(style.paddingBottom);
      this.#height = Math.max(20, content / nodes);
    }
    const from = Math.max(0, Math.floor(this.#scroller.scrollTop / this.#height) - margin);
    if (Math.abs(from - this.#from) > margin / 2 || (from === 0 && this.#from !== 0)) {
      this.#from = from;
      this.#sliced = null;
      for (const listener of this.#listeners) listener({ type: "scroll", after: this.snapshot });
    }
    const { window } = this.#table.snapshot;
    if (window && window.of > window.rows && from + this.#count > window.rows - 100) this.#table.loadMore(Math.max(200, window.rows));
  }

  /** The table's snapshot, cut to what is near. */
  get snapshot() {
    const whole = this.#table.snapshot;
    if (this.#sliced?.whole === whole && this.#sliced.from === this.#from) return this.#sliced.snapshot;
    const moved = this.#sliced?.whole === whole || !this.#sliced;
    const count = this.#count;
    const all = whole.sections.reduce((sum, { rows }) => sum + rows.length + 1, 0);
    this.#from = Math.max(0, Math.min(this.#from, all - count));
    const [from, to] = [this.#from, this.#from + count];
    let at = 0;
    const sections = whole.sections.map((section) => {
      const header = at >= from && at < to ? section.header : null;
      const start = ++at;
      at += section.rows.length;
      const rows = section.rows.slice(Math.max(0, from - start), Math.max(0, to - start));
      return { ...section, header, footer: null, rows };
    });
    this.#list.style.paddingTop = `${from * this.#height}px`;
    this.#list.style.paddingBottom = `${Math.max(0, all - to) * this.#height}px`;
    const snapshot = { ...whole, sections, animation: moved ? still : whole.animation };
    this.#sliced = { whole, from: this.#from, snapshot };
    return snapshot;
  }
}

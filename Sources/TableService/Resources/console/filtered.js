// The rows of a table that have a text in them, among those that are here: for tables that can't be searched. It has
// the face of a table, so that it is bound as any.

const fold = (text) => text.normalize("NFKD").replace(/\p{M}/gu, "").toLowerCase();

export class Filtered {
  #table;
  #text = "";
  #listeners = new Set();
  #cut = null;
  #texts = new WeakMap();

  constructor(table, text) {
    this.#table = table;
    this.#text = fold(text.trim());
    // Moving a window while rows are left out would lead nowhere.
    if (table.show) this.show = (rows) => this.#text || table.show(rows);
  }

  look(text) {
    this.#text = fold(text.trim());
    this.#cut = null;
    for (const listener of this.#listeners) listener({ type: "filter", after: this.snapshot });
  }

  subscribe(listener) {
    const own = (change) => listener(change);
    this.#listeners.add(own);
    const stop = this.#table.subscribe(own);
    return () => {
      this.#listeners.delete(own);
      stop();
    };
  }

  #has(row) {
    if (!this.#texts.has(row)) this.#texts.set(row, fold(`${row.id} ${JSON.stringify(row.payload)}`));
    return this.#texts.get(row).includes(this.#text);
  }

  get snapshot() {
    const whole = this.#table.snapshot;
    if (!this.#text) return whole;
    if (this.#cut?.whole !== whole) {
      const sections = whole.sections.map((section) => ({ ...section, rows: section.rows.filter((row) => this.#has(row)) })).filter(({ rows }) => rows.length);
      this.#cut = { whole, snapshot: { ...whole, sections, window: undefined } };
    }
    return this.#cut.snapshot;
  }
}

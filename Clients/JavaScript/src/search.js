// The search field, filters and sort menu of a table, drawn from what it offers: by keyboard, and for who listens.

const english = { sort: "Sort", order: "As it is", clear: "Clear all", more: "and more", found: (count) => `${count} found` };

const make = (name, attributes = {}, ...children) => {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
  node.append(...children);
  return node;
};

/**
 * Draws into `element` what `table` can be found by, and has the table show what is found. Nothing is drawn where the
 * table offers nothing. `words` are yours instead of the English ones. Returns the function that ends it.
 */
export function bindSearch(element, table, words = {}) {
  const text = { ...english, ...words };
  const field = make("input", { type: "search", maxlength: 200, dir: "auto", part: "search", enterkeyhint: "search" });
  const sort = make("select", { part: "sort", "aria-label": text.sort });
  const filters = make("div", { part: "filters" });
  const clear = make("button", { type: "button", part: "clear" }, text.clear);
  const status = make("p", { role: "status", part: "found" });
  const groups = new Map();
  let sorts = "";
  let timer, last, isNothing;
  element.setAttribute("role", "search");
  element.hidden = true;
  element.append(field, sort, filters, clear, status);

  /** The current search: the last one asked for, with the words in the field. */
  const ask = (change) => {
    const { filters = {}, sort = null } = table.snapshot.search ?? {};
    const wanted = { q: field.value, filters, sort, ...change };
    table.find(wanted.q, wanted.filters, wanted.sort);
  };
  const toggle = (id, value, isSelected) => {
    const filters = { ...table.snapshot.search?.filters };
    const values = filters[id] ?? [];
    filters[id] = isSelected ? values.filter((other) => other !== value) : [...values, value];
    ask({ filters });
  };
  field.addEventListener("input", () => ask());
  sort.addEventListener("change", () => ask({ sort: sort.value || null }));
  clear.addEventListener("click", () => {
    field.value = "";
    table.find();
    field.focus();
  });

  const drawGroup = ({ id, title, values, more }) => {
    if (!groups.has(id)) {
      const name = make("span", { part: "filter-title" });
      const node = make("div", { role: "group", part: "filter" }, name);
      groups.set(id, { node, name, chips: new Map(), more: make("small", {}, text.more) });
    }
    const group = groups.get(id);
    group.name.textContent = title;
    group.node.setAttribute("aria-label", title);
    const chosen = table.snapshot.search?.filters[id] ?? [];
    const nodes = values.map(({ value, title, count }) => {
      if (!group.chips.has(value)) {
        const node = make("button", { type: "button", part: "chip", dir: "auto" }, make("span"), " ", make("small"));
        node.addEventListener("click", () => toggle(id, value, node.getAttribute("aria-pressed") === "true"));
        group.chips.set(value, node);
      }
      const node = group.chips.get(value);
      node.firstChild.textContent = title;
      node.lastChild.textContent = count.toLocaleString();
      // The chosen state, not the found one: a chip shows a touch at once.
      node.setAttribute("aria-pressed", chosen.includes(value));
      return node;
    });
    place(group.node, [group.name, ...nodes, ...(more ? [group.more] : [])]);
    return group.node;
  };

  /** Has these children and no others; what is there already stays, with its focus. */
  const place = (parent, nodes) => {
    for (const child of [...parent.childNodes]) if (!nodes.includes(child)) child.remove();
    nodes.forEach((node, index) => parent.childNodes[index] !== node && parent.insertBefore(node, parent.childNodes[index] ?? null));
  };

  const draw = () => {
    const { find, search, counts, window } = table.snapshot;
    if (search?.isFound && !find && table.snapshot.cursor && !isNothing) {
      // The table offers no search: follow the plain table.
      isNothing = true;
      queueMicrotask(() => table.find(null));
    }
    if (!find || !search) return void (element.hidden = true);
    element.hidden = find.prompt === undefined && !find.sorts?.length && !find.filters?.length;
    field.hidden = find.prompt === undefined;
    field.placeholder = find.prompt ?? "";
    field.setAttribute("aria-label", find.prompt ?? "");
    if (field !== field.getRootNode().activeElement && field.value !== search.q) field.value = search.q;
    const options = JSON.stringify(find.sorts ?? []);
    if (options !== sorts) {
      sorts = options;
      sort.replaceChildren(make("option", { value: "" }, text.order), ...(find.sorts ?? []).map(({ id, title }) => make("option", { value: id }, title)));
    }
    sort.hidden = !find.sorts?.length;
    sort.value = search.sort ?? "";
    place(filters, (find.filters ?? []).map(drawGroup));
    const isAny = search.q || search.sort || Object.keys(search.filters).length;
    clear.hidden = !isAny;
    element.toggleAttribute("data-waits", !search.isFound);
    const said = isAny && search.isFound ? text.found((window?.of ?? counts?.rows ?? 0).toLocaleString()) : "";
    // Said when typing has come to rest, and once.
    if (said !== last) {
      last = said;
      clearTimeout(timer);
      timer = setTimeout(() => (status.textContent = said), 500);
    }
  };

  const stop = table.subscribe(draw);
  if (!table.snapshot.search) table.find();
  draw();
  return () => {
    stop();
    clearTimeout(timer);
    element.replaceChildren();
  };
}

// Elements made of names, properties and children. Texts are texts: nothing that comes from a service is ever markup.

/** `element("a", { href, class, onclick, "aria-label" }, "text", node)`; children that are null or false are left out. */
export function element(name, properties = {}, ...children) {
  const node = document.createElement(name);
  for (const [key, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) node.addEventListener(key.slice(2), value);
    else if (key in node && !key.includes("-") && key !== "list" && key !== "role") node[key] = value;
    else node.setAttribute(key === "class" ? "class" : key, value === true ? "" : value);
  }
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return node;
}

/** Whether a link leads to what is shown. */
export function markCurrent(link, isCurrent) {
  if (isCurrent) link.setAttribute("aria-current", "page");
  else link.removeAttribute("aria-current");
}

const longest = 20_000;

/** A text as long as a page can bear. */
export const clipped = (text, length = longest) =>
  text.length > length ? `${text.slice(0, length)}… (${text.length.toLocaleString("en")} characters)` : text;

/** A JSON value for reading. */
export const json = (value, label) =>
  element("pre", { tabIndex: 0, role: "region", "aria-label": label }, clipped(JSON.stringify(value, null, 2) ?? "–"));

export const number = (value) => value.toLocaleString("en");

/** `1 row`, `2 rows` */
export const counted = (count, noun) => `${number(count)} ${noun}${count === 1 ? "" : "s"}`;

export function bytesText(bytes) {
  return bytes < 1000 ? `${bytes} B` : bytes < 1e6 ? `${(bytes / 1000).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`;
}

/** Says a change to screen readers, when they have time, and at most one in two seconds. */
export const announce = (() => {
  let timer = null;
  let last = "";
  return (text) => {
    last = text;
    timer ??= setTimeout(() => {
      timer = null;
      document.querySelector("#announcer").textContent = last;
    }, 2000);
  };
})();

/** `action` as a function that, however often it is called, acts at most once in so many ms: first at once, last late. */
export function atMostEvery(ms, action) {
  let timer = null;
  let isDue = false;
  const call = () => {
    isDue = timer !== null;
    if (isDue) return;
    action();
    timer = setTimeout(() => {
      timer = null;
      if (isDue) call();
    }, ms);
  };
  call.end = () => clearTimeout(timer);
  return call;
}

/** A dialog with a form: `content` of its nodes, `confirm` the button's name. Resolves with the form's data, or null. */
export function ask(title, content, confirm, check = () => null) {
  const dialog = document.querySelector("#dialog");
  const problem = element("p", { role: "alert", class: "problem", hidden: true });
  return new Promise((resolve) => {
    const form = element("form", {
      onsubmit(event) {
        event.preventDefault();
        const wrong = check(form);
        problem.hidden = !wrong;
        problem.textContent = wrong ?? "";
        if (!wrong) close(new FormData(form));
      },
    }, element("h2", { id: "dialog-title" }, title), content, problem,
    element("p", { class: "buttons" },
      element("button", { type: "button", onclick: () => leave() }, "Cancel"),
      element("button", { type: "submit", class: "main" }, confirm)));
    const leave = () => close(null);
    const close = (value) => {
      removeEventListener("hashchange", leave);
      dialog.close();
      dialog.replaceChildren();
      resolve(value);
    };
    dialog.oncancel = leave;
    // A link in it leads elsewhere.
    addEventListener("hashchange", leave);
    dialog.setAttribute("aria-labelledby", "dialog-title");
    dialog.replaceChildren(form);
    dialog.showModal();
  });
}

// Rows dragged by their handles, with a finger or a mouse. While one is, the table holds still; what came meanwhile
// arrives as one change when it is dropped.

const near = 3;

/** Calls `drop(id, { before } or { after })` when a row of `list` was dragged there. Returns what ends it. */
export function dragRows(list, table, drop) {
  let drag = null;

  function target(event) {
    const node = document.elementFromPoint(event.clientX, event.clientY)?.closest("[data-row]");
    if (!node || !list.contains(node) || node === drag.node) return null;
    const { top, height } = node.getBoundingClientRect();
    return { node, isAfter: event.clientY > top + height / 2 };
  }

  const unmark = () => list.querySelector(".target")?.classList.remove("target", "after");

  function start(event) {
    const handle = event.target.closest("[data-handle]");
    if (!handle || event.button) return;
    const node = handle.closest("[data-row]");
    event.preventDefault();
    handle.setPointerCapture(event.pointerId);
    drag = { node, handle, y: event.clientY, release: table.hold(), isMoving: false };
  }

  function move(event) {
    if (!drag) return;
    drag.isMoving ||= Math.abs(event.clientY - drag.y) > near;
    if (!drag.isMoving) return;
    drag.node.classList.add("dragged");
    drag.node.style.transform = `translateY(${event.clientY - drag.y}px)`;
    drag.node.style.pointerEvents = "none";
    unmark();
    const over = target(event);
    over?.node.classList.add("target");
    over?.node.classList.toggle("after", over.isAfter);
  }

  function end(event) {
    if (!drag) return;
    const over = event.type === "pointerup" && drag.isMoving ? target(event) : null;
    unmark();
    drag.node.classList.remove("dragged");
    drag.node.style.transform = drag.node.style.pointerEvents = "";
    const { node, release } = drag;
    drag = null;
    if (over) drop(node.dataset.row, over.isAfter ? { after: over.node.dataset.row } : { before: over.node.dataset.row });
    release();
  }

  const events = { pointerdown: start, pointermove: move, pointerup: end, pointercancel: end };
  for (const [name, handler] of Object.entries(events)) list.addEventListener(name, handler);
  return () => {
    for (const [name, handler] of Object.entries(events)) list.removeEventListener(name, handler);
    drag?.release();
  };
}

// Cells drawn by their kind: what the registry says of them (which field a tap toggles) and what their payload holds.

import { clipped, element } from "/console/dom.js";
import { pictureAt, pictureNode } from "/console/pictures.js";

const titleLength = 300;
const pictureNames = ["imageName", "image", "imageUrl", "imageURL", "icon", "avatar", "logo", "thumbnail"];

/** `expandable`, `image`, `label` or `unknown`. */
export function kindOf({ cellIdentifier, payload }, registry) {
  const type = registry?.get(cellIdentifier);
  if (type?.expands && typeof payload[type.expands] === "boolean") return "expandable";
  if (pictureNames.some((name) => typeof payload[name] === "string")) return "image";
  return titleOf(payload) === null ? "unknown" : "label";
}

export function titleOf(payload) {
  const title = payload.title ?? payload.name ?? payload.text ?? payload.label;
  return title === undefined || title === null || typeof title === "object" ? null : String(title);
}

/** The host whose pictures a row would show if it might. */
export function withheldHost({ payload }) {
  const address = pictureNames.map((name) => payload[name]).find((value) => typeof value === "string");
  const picture = address === undefined ? null : pictureAt(address);
  return picture && !picture.isShown ? picture.host : null;
}

const image = (payload) => pictureNode(pictureNames.map((name) => payload[name]).find((value) => typeof value === "string"));

/** What an app would draw for the cell. */
export function draw(cell, registry) {
  const { payload, cellIdentifier } = cell;
  const kind = kindOf(cell, registry);
  const text = element("span", { class: "text" });
  if (kind === "unknown") {
    text.append(element("code", {}, cellIdentifier), " ", element("code", { class: "quiet" }, clipped(JSON.stringify(payload), titleLength)));
    return [text];
  }
  text.append(element("span", { class: "title", dir: "auto" }, clipped(titleOf(payload) ?? "", titleLength)));
  const subtitle = payload.subtitle ?? payload.detail;
  if (typeof subtitle === "string" && subtitle) text.append(element("span", { class: "quiet", dir: "auto" }, clipped(subtitle, titleLength)));
  if (kind === "image") return [image(payload), text];
  if (kind === "expandable") {
    const isOpen = payload[registry.get(cellIdentifier).expands];
    const description = payload.description ?? payload.body ?? "";
    if (isOpen && description) text.append(element("span", { class: "description", dir: "auto" }, clipped(String(description), 4000)));
    return [text, element("span", { class: "disclosure", "aria-hidden": "true" }, isOpen ? "▾" : "▸")];
  }
  return [text];
}

// Pictures of the data's, a few at a time: each is given up after a while, so that a host that never answers holds no
// connection of the browser's, and none is asked of the service itself, which would be a request in its user's name.

import { clipped, element } from "/console/dom.js";

const most = 4;
const patience = 10_000;
const waiting = [];
let loading = 0;

/** Hosts whose pictures this session's user wants to see; those in the data are always shown. */
const allowed = new Set(JSON.parse(sessionStorage.getItem("tablecast-pictures") ?? "[]"));

export function allowPictures(host) {
  allowed.add(host);
  sessionStorage.setItem("tablecast-pictures", JSON.stringify([...allowed]));
}

/** Whether a picture may be asked for, and of whom. */
export function pictureAt(address) {
  try {
    const url = new URL(address);
    const isData = url.protocol === "data:" && /^image\//.test(url.pathname);
    if (!isData && !/^https?:$/.test(url.protocol)) return null;
    // A port or a spelling of its own doesn't make the service another host.
    if (!isData && (url.hostname === location.hostname || url.username || url.password)) return null;
    return { href: url.href, host: url.host, isData, isShown: isData || allowed.has(url.host) };
  } catch {
    return null;
  }
}

function next() {
  while (loading < most && waiting.length) {
    const { node, href } = waiting.shift();
    if (!node.isConnected) continue;
    loading++;
    const end = () => {
      clearTimeout(timer);
      node.onload = node.onerror = null;
      loading--;
      next();
    };
    const give = () => {
      end();
      node.removeAttribute("src"); // Which ends the request.
      node.replaceWith(unseen(href, "?"));
    };
    const timer = setTimeout(give, patience);
    node.onload = end;
    node.onerror = give;
    node.src = href;
  }
}

const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    waiting.push({ node: target, href: target.dataset.picture });
  }
  next();
}, { rootMargin: "200px" });

const unseen = (address, sign) => element("span", { class: "picture", title: clipped(address, 200), "aria-hidden": "true" }, sign);

/** The picture of an address, or what stands for it. */
export function pictureNode(address) {
  const picture = pictureAt(address);
  if (!picture?.isShown) return unseen(String(address), "▣");
  const node = element("img", { alt: "", referrerPolicy: "no-referrer", "data-picture": picture.href });
  if (picture.isData) {
    node.src = picture.href;
    node.onerror = () => node.replaceWith(unseen(address, "?"));
  } else seen.observe(node);
  return node;
}

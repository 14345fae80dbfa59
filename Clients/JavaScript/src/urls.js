// Safe links. A service passes on what others told it, and `javascript:` addresses run code.

const allowed = ["http:", "https:", "mailto:", "tel:"];
const names = /^(url|href|link|uri)$|(Url|URL|Href|Link|Uri|_url|_link|_href)$/;

/** Whether a link may lead there: http(s), mailto, tel, or a path of this page's host. */
export function isSafeURL(text) {
  if (typeof text !== "string") return false;
  // Browsers skip these characters.
  const bare = text.replace(/[\u0000-\u0020]+/g, "");
  const scheme = /^([a-z][a-z0-9+.-]*:)/i.exec(bare)?.[1].toLowerCase();
  return scheme ? allowed.includes(scheme) : !/^[\\/]{2}/.test(bare) || /^\/\/[^\\/]/.test(bare);
}

/** Whether a member that is named like an address has one that no link may lead to: the cell is malformed. */
export const isMalformed = ({ payload, select }) =>
  [payload, select].some((object) => object && typeof object === "object" && Object.entries(object).some(([name, value]) =>
    names.test(name) && typeof value === "string" && value !== "" && !isSafeURL(value)));

// Small words for making pages.

export const $ = (selector) => document.querySelector(selector);
export const $$ = (selector) => [...document.querySelectorAll(selector)];

export function made(tag, properties = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(properties)) {
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name in element && name !== "list") element[name] = value;
    else element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export function toast(text, level = "note") {
  const box = made("div", { class: `toast ${level}`, textContent: text });
  $("#toasts").append(box);
  while ($("#toasts").children.length > 3) $("#toasts").firstChild.remove();
  setTimeout(() => box.remove(), level === "error" ? 9000 : 4000);
}

export function download(blob, name) {
  const link = made("a", { href: URL.createObjectURL(blob), download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A number as people write it: three digits that count
export function short(value, digits = 3) {
  if (value === null || value === undefined || !Number.isFinite(value)) return "–";
  if (value === 0) return "0";
  const size = Math.abs(value);
  if (size >= 1e5 || size < 1e-3) {
    const [mantissa, exponent] = value.toExponential(Math.max(0, digits - 2)).split("e");
    return `${mantissa}·10${[...String(Number(exponent))].map((d) => "⁰¹²³⁴⁵⁶⁷⁸⁹"["0123456789".indexOf(d)] ?? "⁻").join("")}`;
  }
  return String(Number(value.toPrecision(digits)));
}

// Elements in one expression: h("button", { class: "primary", onclick: scan }, "Scan").
// Nothing here sets markup from text or style attributes, so the page's content policy holds.

export type Child = Node | string | number | null | undefined | false | Child[];
type Props = Record<string, unknown>;

/** An element with properties, listeners (`on…`), attributes and children. */
export function h<K extends keyof HTMLElementTagNameMap>(tag: K, props?: Props | null, ...children: Child[]): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  if (props) assign(element, props);
  append(element, children);
  return element;
}

/** The same for SVG. */
export function svg(tag: string, attributes: Record<string, string | number> = {}, ...children: Child[]): SVGElement {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, String(value));
  append(element, children);
  return element;
}

/** Puts children in the place of what an element had. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

function assign(element: HTMLElement, props: Props): void {
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = String(value);
    else if (name.startsWith("on") && typeof value === "function") element.addEventListener(name.slice(2), value as EventListener);
    else if (name === "style") for (const [key, text] of Object.entries(value as Record<string, string>)) element.style.setProperty(key, text);
    else if (name === "value" || name === "checked" || name === "disabled" || name === "selected") (element as unknown as Props)[name] = value;
    else element.setAttribute(name, value === true ? "" : String(value));
  }
}

function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (child === null || child === undefined || child === false) continue;
    if (Array.isArray(child)) append(element, child);
    else element.append(child instanceof Node ? child : String(child));
  }
}

/** Saves bytes as a file, as a click on a link with `download` does. */
export function download(bytes: Blob, name: string): void {
  const address = URL.createObjectURL(bytes);
  const link = h("a", { href: address, download: name });
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}

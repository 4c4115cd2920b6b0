// Menus below a button: closed by Escape, by a click elsewhere, or by choosing.

import { fill, h, type Child } from "./dom";
import { icon, type IconName } from "./icons";

export interface Item {
  name: string;
  help?: string;
  icon?: IconName;
  on?: boolean;
  disabled?: boolean;
  act: () => void;
}

export type Entry = Item | "line" | { head: string };

let open: { menu: HTMLElement; end: () => void } | null = null;

export function closeMenu(): void {
  open?.end();
}

/** Shows a menu beside an element; `search` adds a field that narrows the entries. */
export function showMenu(anchor: HTMLElement, entries: Entry[], options: { search?: string; width?: number } = {}): void {
  const again = open?.menu.dataset.of === anchor.dataset.menu && anchor.dataset.menu !== undefined;
  closeMenu();
  if (again) return;
  anchor.dataset.menu ??= String(Math.random());
  const list = h("div", { role: "menu" });
  const field = options.search ? h("input", { type: "search", placeholder: options.search, "aria-label": options.search }) : null;
  const menu = h("div", { class: "menu", popover: "manual" }, field, list);
  menu.dataset.of = anchor.dataset.menu;
  if (options.width) menu.style.width = `${options.width}px`;
  const show = (filter: string) => {
    const wanted = filter.toLowerCase();
    const rows: Child[] = entries
      .filter((entry) => wanted === "" || (typeof entry === "object" && "name" in entry && `${entry.name} ${entry.help ?? ""}`.toLowerCase().includes(wanted)))
      .map((entry) => row(entry));
    fill(list, rows.length > 0 ? rows : h("div", { class: "head" }, "nothing like this"));
  };
  const row = (entry: Entry): HTMLElement => {
    if (entry === "line") return h("hr");
    if ("head" in entry) return h("div", { class: "head" }, entry.head);
    return h(
      "button",
      {
        class: entry.on ? "item on" : "item",
        role: "menuitem",
        disabled: entry.disabled,
        onclick: () => {
          end();
          entry.act();
        },
      },
      entry.icon ? icon(entry.icon) : null,
      h("span", { class: "grow" }, h("b", null, entry.name), entry.help ? h("small", null, entry.help) : null),
      entry.on ? icon("check", 15) : null,
    );
  };
  show("");
  field?.addEventListener("input", () => show(field.value));
  const away = (event: Event) => {
    if (!menu.contains(event.target as Node) && !anchor.contains(event.target as Node)) end();
  };
  const keys = (event: KeyboardEvent) => {
    const buttons = [...list.querySelectorAll<HTMLButtonElement>("button:not(:disabled)")];
    const at = buttons.indexOf(document.activeElement as HTMLButtonElement);
    if (event.key === "Escape") {
      end();
      anchor.focus();
    } else if (event.key === "ArrowDown") buttons[Math.min(at + 1, buttons.length - 1)]?.focus();
    else if (event.key === "ArrowUp") (at > 0 ? buttons[at - 1] : (field ?? buttons[0]))?.focus();
    else if (event.key === "Enter" && document.activeElement === field) buttons[0]?.click();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  const end = () => {
    removeEventListener("pointerdown", away, true);
    menu.remove();
    open = null;
  };
  document.body.append(menu);
  menu.showPopover();
  const at = anchor.getBoundingClientRect();
  const size = menu.getBoundingClientRect();
  const below = at.bottom + 6 + size.height <= innerHeight || at.top < size.height;
  menu.style.top = `${Math.max(6, below ? Math.min(at.bottom + 6, innerHeight - size.height - 6) : at.top - size.height - 6)}px`;
  menu.style.left = `${Math.max(6, Math.min(at.left, innerWidth - size.width - 8))}px`;
  menu.addEventListener("keydown", keys);
  addEventListener("pointerdown", away, true);
  open = { menu, end };
  (field ?? list.querySelector("button"))?.focus();
}

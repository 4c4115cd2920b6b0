// The left side: the scenario as a form, as text, or both.

import { fill, h } from "../base/dom";
import { icon } from "../base/icons";
import { get } from "../data/api";
import type { Schema } from "../data/schema";
import type { Studio } from "../data/studio";
import type { Step } from "../protocol";
import { Form } from "./form";
import { TextEditor } from "./text";

type Mode = "form" | "text" | "both";

export class ScenarioPanel {
  readonly element = h("aside", { class: "side left", "aria-label": "Scenario" });
  readonly text: TextEditor;
  form: Form | null = null;
  mode: Mode = "form";
  readonly #studio: Studio;
  readonly #body = h("div", { class: "grow", style: { display: "flex", "flex-direction": "column", "min-height": "0" } });
  readonly #tabs: Record<Mode, HTMLButtonElement>;

  constructor(studio: Studio) {
    this.#studio = studio;
    this.text = new TextEditor(studio);
    const tab = (mode: Mode, name: string, glyph: "form" | "text" | "compare") => h("button", { role: "tab", "data-test": `tab-${mode}`, onclick: () => this.show(mode) }, icon(glyph, 15), name);
    this.#tabs = { form: tab("form", "Form", "form"), text: tab("text", "Text", "text"), both: tab("both", "Both", "compare") };
    fill(this.element, h("div", { class: "tabs", role: "tablist" }, Object.values(this.#tabs)), this.#body);
    this.show("form");
  }

  async begin(): Promise<void> {
    const [scenario, sensor] = await Promise.all([get<Schema>("schema/scenario"), get<Schema>("schema/sensor")]);
    this.form = new Form(this.#studio, scenario, sensor);
    this.show(this.mode);
  }

  show(mode: Mode): void {
    this.mode = mode;
    for (const [name, button] of Object.entries(this.#tabs)) button.setAttribute("aria-selected", String(name === mode));
    const form = this.form?.element ?? h("div", { class: "empty" }, h("span", { class: "spin" }));
    form.style.flex = mode === "both" ? "0 0 48%" : "";
    fill(this.#body, mode !== "text" ? form : null, mode !== "form" ? this.text.element : null);
    document.documentElement.classList.toggle("wide-left", mode === "both");
  }

  reveal(path: Step[]): void {
    if (this.mode === "text") this.show("form");
    this.form?.reveal(path);
  }
}

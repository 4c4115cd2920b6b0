// The scenario's text: an editor with line numbers and colours, which marks mistakes at their line.

import { fill, h } from "../base/dom";
import { icon } from "../base/icons";
import type { Studio } from "../data/studio";
import type { Problem } from "../protocol";
import { coloured } from "./toml";

const DELAY_MS = 250;
const LINE_PX = 18;

export class TextEditor {
  readonly element: HTMLElement;
  readonly #studio: Studio;
  readonly #area = h("textarea", { spellcheck: "false", autocapitalize: "off", autocomplete: "off", wrap: "off", "aria-label": "The scenario as TOML", "data-test": "text" });
  readonly #ink = h("pre", { "aria-hidden": "true" });
  readonly #gutter = h("div", { class: "gutter", "aria-hidden": "true" });
  readonly #editor: HTMLElement;
  readonly #problems = h("div", { class: "problems", role: "alert", "data-test": "problems" });
  /** Text that was typed and is not yet with the program. */
  #pending = 0;
  #sent: string | null = null;
  #name = "";

  constructor(studio: Studio) {
    this.#studio = studio;
    this.#editor = h("div", { class: "editor" }, this.#gutter, h("div", { class: "paper" }, this.#ink, this.#area));
    this.element = h("div", { class: "grow", style: { display: "flex", "flex-direction": "column", "min-height": "0" } }, this.#editor, this.#problems);
    this.#area.addEventListener("input", () => {
      this.#paint([]);
      clearTimeout(this.#pending);
      this.#pending = setTimeout(() => void this.#send(), DELAY_MS);
    });
    this.#area.addEventListener("keydown", (event) => {
      if (event.key !== "Tab" || event.shiftKey || event.ctrlKey) return;
      event.preventDefault();
      this.#area.setRangeText("    ", this.#area.selectionStart, this.#area.selectionEnd, "end");
      this.#area.dispatchEvent(new Event("input"));
    });
    studio.document.watch(() => this.#follow());
  }

  async #send(): Promise<void> {
    this.#pending = 0;
    const { value } = this.#area;
    this.#sent = value;
    await this.#studio.write(value);
    this.#sent = null;
    this.#follow();
  }

  /** Shows the program's text unless something newer is being typed. */
  #follow(): void {
    const { value: document_ } = this.#studio.document;
    if (!document_) return;
    const typing = this.#pending !== 0 || (this.#sent !== null && this.#sent !== document_.text);
    if (!typing && this.#area.value !== document_.text) {
      const { selectionStart, selectionEnd } = this.#area;
      this.#area.value = document_.text;
      this.#area.setSelectionRange(selectionStart, selectionEnd);
    }
    if (document_.name !== this.#name) {
      this.#name = document_.name;
      this.#editor.scrollTop = 0;
    }
    this.#paint(typing ? [] : document_.problems);
    fill(
      this.#problems,
      document_.problems.map((problem) =>
        h("button", { onclick: () => this.goto(problem.line ?? 1, problem.column ?? 1) }, icon("warn", 16), h("span", null, problem.line === null ? "" : h("b", null, `Line ${problem.line}: `), problem.sentence)),
      ),
      document_.problems.length > 0 && document_.good_revision > 0 ? h("div", { class: "kept" }, "The world and new scans stay as they were when the text was last right.") : null,
    );
    this.#problems.hidden = document_.problems.length === 0;
  }

  #paint(problems: readonly Problem[]): void {
    const lines = this.#area.value.split("\n");
    const bad = new Map<number, Problem>();
    for (const problem of problems) if (problem.line !== null) bad.set(problem.line, problem);
    fill(this.#gutter, lines.flatMap((_, at) => [bad.has(at + 1) ? h("span", { class: "bad", title: bad.get(at + 1)?.sentence }, `${at + 1}`) : String(at + 1), "\n"]));
    fill(
      this.#ink,
      lines.flatMap((line, at) => {
        const problem = bad.get(at + 1);
        const mark: [number, number] | null = problem?.column ? [problem.column, problem.end_column ?? problem.column + 1] : null;
        const parts = coloured(line, mark);
        return problem ? [h("span", { class: "bad-line", "data-test": "bad-line", title: problem.sentence }, parts.length > 0 ? parts : " "), "\n"] : [...parts, "\n"];
      }),
    );
  }

  /** Puts the caret at a line and a column, from 1. */
  goto(line: number, column: number): void {
    const lines = this.#area.value.split("\n");
    const start = lines.slice(0, line - 1).reduce((sum, text) => sum + text.length + 1, 0) + column - 1;
    this.#area.focus({ preventScroll: true });
    this.#area.setSelectionRange(start, start);
    this.#editor.scrollTop = Math.max(0, (line - 1) * LINE_PX - this.#editor.clientHeight / 3);
  }
}

// Colours of TOML: comments, tables, keys, texts, numbers.

import { h } from "../base/dom";

export type Token = { kind: "comment" | "table" | "key" | "string" | "number" | ""; text: string };

const WORDS = /("""[\s\S]*?"""|'''[\s\S]*?'''|"(?:\\.|[^"\\])*"?|'[^']*'?)|(#.*)|([+-]?(?:\d[\d_]*\.?[\d_]*(?:[eE][+-]?\d+)?|inf|nan)\b|\btrue\b|\bfalse\b)|([A-Za-z0-9_-]+(?:\s*\.\s*[A-Za-z0-9_-]+)*)(?=\s*=)/g;

/** The parts of a line. */
export function tokens(line: string): Token[] {
  const head = /^(\s*\[\[?[^\]]*\]\]?)(.*)$/.exec(line);
  if (head && !line.includes("=")) return [{ kind: "table", text: head[1] }, ...tokens(head[2])];
  const out: Token[] = [];
  let at = 0;
  for (const match of line.matchAll(WORDS)) {
    if (match.index > at) out.push({ kind: "", text: line.slice(at, match.index) });
    const kind = match[1] !== undefined ? "string" : match[2] !== undefined ? "comment" : match[3] !== undefined ? "number" : "key";
    out.push({ kind, text: match[0] });
    at = match.index + match[0].length;
  }
  if (at < line.length) out.push({ kind: "", text: line.slice(at) });
  return out;
}

/** A line as elements; from `mark[0]` to `mark[1]` (from 1) it is underlined. */
export function coloured(line: string, mark: [number, number] | null): Node[] {
  const nodes: Node[] = [];
  let column = 1;
  for (const token of tokens(line)) {
    const pieces: [string, boolean][] = [];
    const end = column + token.text.length;
    if (mark && mark[0] < end && mark[1] > column) {
      const from = Math.max(0, mark[0] - column);
      const to = Math.min(token.text.length, mark[1] - column);
      pieces.push([token.text.slice(0, from), false], [token.text.slice(from, to), true], [token.text.slice(to), false]);
    } else pieces.push([token.text, false]);
    for (const [piece, bad] of pieces) {
      if (piece === "") continue;
      const name = [token.kind ? `t-${token.kind}` : "", bad ? "bad-span" : ""].filter(Boolean).join(" ");
      nodes.push(name ? h("span", { class: name }, piece) : document.createTextNode(piece));
    }
    column = end;
  }
  return nodes;
}

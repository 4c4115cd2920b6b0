// Calls of the program's interface. Every call carries the token; a refusal becomes a `Refusal`
// with the program's own sentence.

import type { Problem } from "../protocol";

const STORE = "understory-token";

/** What the program refused, in its words. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly problem: Problem,
  ) {
    super(problem.sentence);
  }
}

let token = "";

/** Takes the token from the address, where it stands at the first load only, and forgets it there. */
export function takeToken(): { token: string; view: string | null } {
  const given = new URLSearchParams(location.hash.slice(1));
  const fresh = given.get("token");
  try {
    if (fresh) localStorage.setItem(STORE, fresh);
    token = fresh ?? localStorage.getItem(STORE) ?? "";
  } catch {
    token = fresh ?? "";
  }
  const view = given.get("view");
  history.replaceState(null, "", location.pathname + (view ? `#view=${view}` : ""));
  return { token, view };
}

export function currentToken(): string {
  return token;
}

type Query = Record<string, string | number | boolean | null | undefined>;

function address(path: string, query: Query = {}): string {
  const given = Object.entries(query).filter((entry): entry is [string, string | number | boolean] => entry[1] !== null && entry[1] !== undefined);
  const text = given.map(([name, value]) => `${name}=${encodeURIComponent(value)}`).join("&");
  return `/api/${path}${text ? `?${text}` : ""}`;
}

/** A call; the answer is as it came. */
export async function call(method: string, path: string, options: { query?: Query; body?: unknown; signal?: AbortSignal } = {}): Promise<Response> {
  const headers: Record<string, string> = { "X-Understory-Token": token };
  let body: string | undefined;
  if (options.body !== undefined) {
    headers["Content-Type"] = "application/json";
    body = JSON.stringify(options.body);
  }
  const answer = await fetch(address(path, options.query), { method, headers, body, signal: options.signal, cache: "no-store", credentials: "omit" });
  if (answer.ok) return answer;
  throw new Refusal(answer.status, await problem(answer));
}

async function problem(answer: Response): Promise<Problem> {
  const text = await answer.text().catch(() => "");
  try {
    const said = JSON.parse(text) as Problem;
    if (typeof said.sentence === "string") return said;
  } catch {
    // No JSON: the text itself is what there is to say.
  }
  const sentence = text.trim() || (answer.status === 401 ? "this page has no valid token: open the address that `understory studio` printed" : `the program answered with status ${answer.status}`);
  return { sentence, line: null, column: null, end_column: null };
}

export async function get<T>(path: string, query?: Query, signal?: AbortSignal): Promise<T> {
  return (await call("GET", path, { query, signal })).json() as Promise<T>;
}

export async function send<T>(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body?: unknown): Promise<T> {
  const answer = await call(method, path, { body });
  const text = await answer.text();
  return (text ? JSON.parse(text) : undefined) as T;
}

/** A file with the name that the program gives it. */
export async function file(path: string, query: Query | undefined, fallback: string): Promise<{ bytes: Blob; name: string }> {
  const answer = await call("GET", path, { query });
  const said = /filename="([^"]+)"/.exec(answer.headers.get("Content-Disposition") ?? "");
  return { bytes: await answer.blob(), name: said?.[1] ?? fallback };
}

/** What went wrong, as a sentence. */
export function sentence(error: unknown): string {
  if (error instanceof Refusal) return error.problem.sentence;
  if (error instanceof TypeError) return "the program does not answer; is it still running?";
  return error instanceof Error ? error.message : String(error);
}

// News of the program over a WebSocket. When it is gone the page says so and asks until it is back.

import type { Hello, News } from "../protocol";
import { Signal } from "../base/signal";
import { currentToken, get, Refusal } from "./api";

export type Connection = { state: "connecting" | "open" | "lost" | "refused"; since: number };

export class Live {
  readonly connection = new Signal<Connection>({ state: "connecting", since: performance.now() });
  onNews: (news: News) => void = () => {};
  /** The program was started anew: everything must be loaded again. */
  onRestart: () => void = () => {};
  #start: string | null = null;
  #socket: WebSocket | null = null;
  #last = 0;

  begin(hello: Hello): void {
    this.#start = hello.start;
    this.#connect();
    setInterval(() => {
      // The program says something every 5 s; a silent line is a dead one.
      if (this.#socket?.readyState === WebSocket.OPEN && performance.now() - this.#last > 15_000) this.#socket.close();
    }, 2_000);
  }

  #connect(): void {
    const socket = new WebSocket(`ws://${location.host}/api/live`, ["understory", currentToken()]);
    this.#socket = socket;
    socket.addEventListener("open", () => {
      this.#last = performance.now();
      this.connection.value = { state: "open", since: performance.now() };
    });
    socket.addEventListener("message", (event) => {
      this.#last = performance.now();
      this.onNews(JSON.parse(String(event.data)) as News);
    });
    socket.addEventListener("close", () => {
      if (this.#socket !== socket) return;
      this.#socket = null;
      this.connection.value = { state: "lost", since: performance.now() };
      void this.#wait();
    });
  }

  async #wait(): Promise<void> {
    for (;;) {
      try {
        const hello = await get<Hello>("hello");
        if (hello.start !== this.#start) {
          this.#start = hello.start;
          this.onRestart();
        }
        this.#connect();
        return;
      } catch (error) {
        if (error instanceof Refusal && error.status === 401) {
          this.connection.value = { state: "refused", since: performance.now() };
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
  }
}

// Mouse, touch and keys that move the camera: drag to orbit (or to look about when flying), right or
// Shift-drag to pan, wheel to zoom at the mouse, W A S D Q E to fly, arrows to turn.

import type { Rig } from "./rig";

const KEYS = new Set(["KeyW", "KeyA", "KeyS", "KeyD", "KeyQ", "KeyE", "ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"]);

export class Steering {
  /** Whether dragging looks about instead of orbiting. */
  flying = false;
  /** Asked before a drag begins; true: somebody else takes it. */
  taken: (event: PointerEvent) => boolean = () => false;
  onClick: (x: number, y: number, event: PointerEvent) => void = () => {};
  onHover: (x: number, y: number, event: PointerEvent) => void = () => {};
  onDoubleClick: (x: number, y: number) => void = () => {};
  readonly #rig: Rig;
  readonly #pressed = new Set<string>();
  readonly #pointers = new Map<number, { x: number; y: number }>();
  #last = 0;
  #moved = 0;

  constructor(canvas: HTMLCanvasElement, rig: Rig) {
    this.#rig = rig;
    canvas.addEventListener("pointerdown", (event) => {
      canvas.focus({ preventScroll: true });
      if (this.taken(event)) return;
      canvas.setPointerCapture(event.pointerId);
      this.#pointers.set(event.pointerId, { x: event.clientX, y: event.clientY });
      this.#moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => this.#move(event, canvas));
    const end = (event: PointerEvent) => {
      if (!this.#pointers.delete(event.pointerId)) return;
      if (event.type === "pointerup" && this.#moved < 4 && event.button === 0) {
        const box = canvas.getBoundingClientRect();
        this.onClick(event.clientX - box.left, event.clientY - box.top, event);
      }
    };
    canvas.addEventListener("pointerup", end);
    canvas.addEventListener("pointercancel", end);
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
    canvas.addEventListener("dblclick", (event) => {
      const box = canvas.getBoundingClientRect();
      this.onDoubleClick(event.clientX - box.left, event.clientY - box.top);
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        event.preventDefault();
        const box = canvas.getBoundingClientRect();
        const steps = event.deltaMode === 1 ? event.deltaY * 30 : event.deltaY;
        const factor = Math.exp(Math.max(-0.6, Math.min(0.6, steps * 0.0014)));
        this.#rig.zoom(factor, ((event.clientX - box.left) / box.width) * 2 - 1, 1 - ((event.clientY - box.top) / box.height) * 2, box.width / box.height);
      },
      { passive: false },
    );
    addEventListener("keydown", (event) => {
      if (!KEYS.has(event.code) || event.ctrlKey || event.metaKey || event.altKey || typing(event.target)) return;
      if (event.code.startsWith("Arrow") && document.activeElement !== canvas) return;
      event.preventDefault();
      if (this.#pressed.size === 0) {
        this.#last = performance.now();
        requestAnimationFrame(this.#fly);
      }
      this.#pressed.add(event.code);
    });
    addEventListener("keyup", (event) => this.#pressed.delete(event.code));
    addEventListener("blur", () => this.#pressed.clear());
  }

  /** Whether somebody moves the camera right now. */
  get busy(): boolean {
    return this.#pressed.size > 0 || (this.#pointers.size > 0 && this.#moved >= 4);
  }

  #move(event: PointerEvent, canvas: HTMLCanvasElement): void {
    const box = canvas.getBoundingClientRect();
    const pointer = this.#pointers.get(event.pointerId);
    if (!pointer) {
      if (event.buttons === 0) this.onHover(event.clientX - box.left, event.clientY - box.top, event);
      return;
    }
    const dx = event.clientX - pointer.x;
    const dy = event.clientY - pointer.y;
    if (dx === 0 && dy === 0) return;
    if (this.#pointers.size === 2) {
      const other = [...this.#pointers].find(([id]) => id !== event.pointerId)?.[1];
      if (other) {
        const before = Math.hypot(pointer.x - other.x, pointer.y - other.y);
        const after = Math.hypot(event.clientX - other.x, event.clientY - other.y);
        if (before > 0 && after > 0) this.#rig.zoom(before / after, 0, 0, 1);
      }
    } else if (event.buttons & 6 || event.shiftKey) this.#rig.pan(dx, dy, box.height);
    else if (this.flying) this.#rig.look(dx, dy);
    else this.#rig.orbit(dx, dy);
    this.#moved += Math.abs(dx) + Math.abs(dy);
    pointer.x = event.clientX;
    pointer.y = event.clientY;
  }

  readonly #fly = (now: number): void => {
    if (this.#pressed.size === 0) return;
    const dt = Math.min(0.1, Math.max(0, (now - this.#last) / 1000));
    this.#last = now;
    const sign = (plus: string, minus: string) => Number(this.#pressed.has(plus)) - Number(this.#pressed.has(minus));
    const speed = Math.max(1, Math.min(this.#rig.view.distance, 200)) * 0.9 * dt;
    this.#rig.move(sign("KeyW", "KeyS") * speed, sign("KeyD", "KeyA") * speed, sign("KeyE", "KeyQ") * speed);
    const turn = 260 * dt;
    const x = sign("ArrowLeft", "ArrowRight") * turn;
    const y = sign("ArrowUp", "ArrowDown") * turn;
    if (x !== 0 || y !== 0) {
      if (this.flying) this.#rig.look(x, -y);
      else this.#rig.orbit(x, y);
    }
    requestAnimationFrame(this.#fly);
  };
}

/** Whether keys go into a field. */
export function typing(target: EventTarget | null): boolean {
  return target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
}

// Blocks of numbers (see the protocol): a header in JSON and columns behind it, looked at in place.

import type { BlockHeader, NumberKind } from "../protocol";

export type Numbers = Uint8Array | Uint16Array | Uint32Array | Float32Array | Float64Array;

export interface Block {
  header: BlockHeader;
  /** A column by its name; throws where there is none. */
  column(name: string): Numbers;
  has(name: string): boolean;
}

const START = 16;
const VIEWS: Record<NumberKind, { new (buffer: ArrayBuffer, offset: number, length: number): Numbers; BYTES_PER_ELEMENT: number }> = {
  u8: Uint8Array,
  u16: Uint16Array,
  u32: Uint32Array,
  f32: Float32Array,
  f64: Float64Array,
};

/** Bytes of the block that begins at `at`, or none where its start is not there yet. */
function blockLength(view: DataView, at: number): number | null {
  if (view.byteLength < at + START) return null;
  if (view.getUint32(at, true) !== 0x31425355) throw new Error("the program sent something that is no block");
  return START + view.getUint32(at + 4, true) + Number(view.getBigUint64(at + 8, true));
}

/** The block that begins at `at`, a multiple of 8. */
export function readBlock(buffer: ArrayBuffer, at = 0): Block {
  const view = new DataView(buffer);
  const length = blockLength(view, at);
  if (length === null || at + length > buffer.byteLength) throw new Error("the program's answer ends too early");
  const headerLength = view.getUint32(at + 4, true);
  const header = JSON.parse(new TextDecoder().decode(new Uint8Array(buffer, at + START, headerLength))) as BlockHeader;
  const data = at + START + headerLength;
  const find = (name: string) => header.columns.find((column) => column.name === name);
  return {
    header,
    has: (name) => find(name) !== undefined,
    column(name) {
      const column = find(name);
      if (!column) throw new Error(`the program's answer has no column ${name}`);
      return new VIEWS[column.kind](buffer, data + column.offset, column.rows * column.width);
    },
  };
}

/** Blocks of an answer one by one, while it still comes. */
export async function* blocks(answer: Response): AsyncGenerator<Block> {
  const reader = answer.body?.getReader();
  if (!reader) return;
  let parts: Uint8Array[] = [];
  let held = 0;
  let wanted = START;
  const gather = (): Uint8Array<ArrayBuffer> => {
    const all = new Uint8Array(held);
    let at = 0;
    for (const part of parts) {
      all.set(part, at);
      at += part.length;
    }
    parts = [all];
    return all;
  };
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      parts.push(value);
      held += value.length;
      while (held >= wanted) {
        const all = gather();
        const length = blockLength(new DataView(all.buffer), 0);
        if (length === null) break;
        if (held < length) {
          wanted = length;
          break;
        }
        yield readBlock(all.buffer.slice(0, length));
        parts = [all.slice(length)];
        held -= length;
        wanted = START;
      }
    }
  } finally {
    reader.cancel().catch(() => {});
  }
  if (held > 0) throw new Error("the program's answer ends in the middle of a block");
}

// What the page knows: the library, the open document, the world, the layers, and what is looked at.
// Panels read signals and call the functions here; nothing else talks to the program.

import { Group } from "three";
import { Signal } from "../base/signal";
import type { Document, Edit, Hello, Job, Layer as Card, Library, News, OpenDocument, StartScan, World } from "../protocol";
import { pointMaterial } from "../view/point-shader";
import type { Viewport } from "../view/viewport";
import { call, get, Refusal, send, sentence } from "./api";
import { readBlock } from "./blocks";
import { HELD_MOST, Layer } from "./layer";
import { Live } from "./live";
import { FIRST_LOOK, type Look } from "./look";

export interface Notice {
  kind: "info" | "error" | "good";
  text: string;
}

export interface Focus {
  layer: Layer;
  point: number;
}

export interface Comparing {
  mode: "off" | "side" | "swipe";
  a: number | null;
  b: number | null;
  at: number;
}

export class Studio {
  readonly live = new Live();
  readonly hello = new Signal<Hello | null>(null);
  readonly library = new Signal<Library | null>(null);
  readonly document = new Signal<Document | null>(null);
  readonly world = new Signal<World | null>(null);
  /** What is done to the world: words while it is built, a sentence where it could not be. */
  readonly building = new Signal<{ busy: boolean; problem: string | null; remark: string | null }>({ busy: false, problem: null, remark: null });
  readonly layers = new Signal<readonly Layer[]>([]);
  readonly active = new Signal<number | null>(null);
  readonly jobs = new Signal<readonly Job[]>([]);
  readonly look = new Signal<Look>(FIRST_LOOK);
  readonly hover = new Signal<Focus | null>(null);
  readonly picked = new Signal<Focus | null>(null);
  readonly chosenObject = new Signal<number>(0);
  readonly comparing = new Signal<Comparing>({ mode: "off", a: null, b: null, at: 0.5 });
  /** Time that is shown; none: all of it. */
  readonly time = new Signal<{ at: number | null; window: number }>({ at: null, window: 0.1 });
  readonly notice = new Signal<Notice | null>(null);
  /** Told after points came or columns changed. */
  readonly grew = new Signal<number>(0);
  /** The picture; none where the browser has no WebGL. */
  viewport: Viewport | null = null;
  readonly material = pointMaterial();
  readonly clouds = new Group();
  #numbers = 0;
  #elsewhere: number[] | null = null;
  /** Whether the world is hidden because a recording is looked at alone. */
  #alone = false;
  readonly #texts: string[] = [];
  #undoing = false;
  /** Name of the scenario whose world is shown; null: the world came before it. */
  #shownName: string | null | undefined;
  #worldRevision = -1;
  #worldBusy = false;
  #editing: Promise<unknown> = Promise.resolve();
  readonly #growing = new Set<Layer>();

  /** The picture's origin, in the world: numbers in the picture stay small wherever a site lies. */
  get origin(): readonly number[] {
    if (this.#elsewhere && this.look.value.world === 0) return this.#elsewhere;
    return this.world.value?.offset_m ?? this.layers.value[0]?.card.offset_m ?? [0, 0, 0];
  }

  /** Looks at a layer that lies far from the world, which then is hidden; false where it does not. */
  lookElsewhere(layer: Layer): boolean {
    const world = this.world.value;
    const box = layer.cloud.bounds();
    if (!box || !world) return false;
    const { offset_m } = layer.card;
    const far = [0, 1, 2].some((axis) => {
      const size = Math.max(100, ...world.bounds_m[1].map((high, i) => high - world.bounds_m[0][i]));
      const low = box.low[axis] + offset_m[axis] - world.offset_m[axis];
      const high = box.high[axis] + offset_m[axis] - world.offset_m[axis];
      return low > world.bounds_m[1][axis] + size || high < world.bounds_m[0][axis] - size;
    });
    if (!far) return false;
    this.#elsewhere = [...offset_m];
    this.#alone = true;
    this.look.patch({ world: 0, sensors: false, path: false });
    for (const other of this.layers.value) other.place(this.origin);
    return true;
  }

  /** Goes one edit back. */
  async undo(): Promise<void> {
    const before = this.#texts.pop();
    if (before === undefined) return this.say("info", "there is nothing to undo");
    this.#undoing = true;
    await this.write(before);
    this.#undoing = false;
  }

  layer(id: number | null): Layer | null {
    return this.layers.value.find((layer) => layer.id === id) ?? null;
  }

  get activeLayer(): Layer | null {
    return this.layer(this.active.value) ?? this.layers.value[this.layers.value.length - 1] ?? null;
  }

  say(kind: Notice["kind"], text: string): void {
    this.notice.value = { kind, text };
  }

  /** Runs something and tells where it failed. */
  async attempt<T>(work: () => Promise<T>): Promise<T | null> {
    try {
      return await work();
    } catch (error) {
      this.say("error", sentence(error));
      return null;
    }
  }

  /** Loads what the program has, first what the first picture needs. */
  async begin(): Promise<void> {
    // All at once: the world does not wait for the text, it is of the newest good revision in any case.
    const [hello, document, library] = [get<Hello>("hello"), get<Document>("document"), get<Library>("library")];
    for (const early of [document, library]) early.catch(() => {});
    const greeted = hello.then((hello) => {
      this.hello.value = hello;
      this.live.onNews = (news) => this.#news(news);
      this.live.onRestart = () => location.reload();
      this.live.begin(hello);
    });
    void this.loadWorld();
    await greeted;
    void library.then((library) => (this.library.value = library));
    this.take(await document);
    await library;
  }

  /** Takes a document that the program sent. */
  take(document: Document): Document {
    const before = this.document.value;
    if (before && before.name !== document.name) {
      this.#texts.length = 0;
      this.#otherScenario(document.name);
    } else if (before && before.text !== document.text && !this.#undoing) {
      this.#texts.push(before.text);
      if (this.#texts.length > 100) this.#texts.shift();
    }
    this.document.value = document;
    if (document.good_revision !== this.#worldRevision && document.good_revision > 0) void this.loadWorld();
    return document;
  }

  /** Scans of another scenario step back: they lie in another world. */
  #otherScenario(name: string): void {
    for (const layer of this.layers.value) if (layer.card.kind === "scan") layer.visible = layer.card.source === name;
    this.picked.value = null;
    this.comparing.patch({ mode: "off" });
    this.layers.touch();
    this.grew.value++;
  }

  /** Shows a recording alone: what world it belongs to, if any, only its user knows. */
  lookAlone(recording: Layer): void {
    for (const layer of this.layers.value) layer.visible = layer === recording;
    this.#alone = true;
    this.look.patch({ world: 0, sensors: false, path: false, ...(this.look.value.colourBy === "layer" ? { colourBy: "height_m" } : {}) });
    this.layers.touch();
    this.grew.value++;
  }

  /** Shows the world again after a recording was looked at alone. */
  #together(): void {
    if (!this.#alone) return;
    this.#alone = false;
    this.#elsewhere = null;
    this.look.patch({ world: 1, sensors: true, path: true });
  }

  async open(what: OpenDocument): Promise<boolean> {
    const document = await this.attempt(() => send<Document>("POST", "document/open", what));
    if (document) this.take(document);
    return document !== null;
  }

  /** Edits one after another, each on the newest revision. */
  #queue(work: (revision: number) => Promise<Document>): Promise<Document | null> {
    const done = this.#editing.then(async () => {
      try {
        return this.take(await work(this.document.value?.revision ?? 0));
      } catch (error) {
        if (error instanceof Refusal && error.status === 409) this.take(await get<Document>("document"));
        this.say("error", sentence(error));
        return null;
      }
    });
    this.#editing = done.catch(() => null);
    return done;
  }

  write(text: string): Promise<Document | null> {
    return this.#queue((revision) => send<Document>("PUT", "document", { revision, text }));
  }

  edit(edits: Edit[]): Promise<Document | null> {
    return this.#queue((revision) => send<Document>("POST", "document/edit", { revision, edits }));
  }

  /** Gets the world of the newest good revision; while one is on its way, the next waits. */
  async loadWorld(): Promise<void> {
    if (this.#worldBusy) return;
    this.#worldBusy = true;
    try {
      let wanted: number | null = this.document.value?.good_revision ?? null;
      do {
        this.building.value = { busy: true, problem: null, remark: null };
        try {
          const budget = this.viewport?.software ? 60_000 : 2_500_000;
          const [world, answer] = await Promise.all([get<World>("world"), call("GET", "world/geometry", { query: { budget } })]);
          const block = readBlock(await answer.arrayBuffer());
          this.viewport?.world.show(block, world.materials);
          const name = this.document.value?.name ?? null;
          const first = this.#shownName === undefined;
          if (first || (this.#shownName !== null && name !== this.#shownName)) {
            this.#together();
            this.look.patch({ cutaway: world.closed });
          }
          if (first || name !== null) this.#shownName = name;
          this.#around(world);
          this.world.value = world;
          this.#worldRevision = wanted ?? world.revision;
          this.building.value = { busy: false, problem: null, remark: this.viewport?.world.extra?.sentence ?? null };
        } catch (error) {
          this.building.value = { busy: false, problem: sentence(error), remark: null };
          this.#worldRevision = wanted ?? this.document.value?.good_revision ?? this.#worldRevision;
        }
        wanted = this.document.value?.good_revision ?? null;
      } while (wanted !== null && wanted > 0 && wanted !== this.#worldRevision);
    } finally {
      this.#worldBusy = false;
    }
  }

  /** Tells the picture where the sensor is, and where the world ends. */
  #around(world: World): void {
    const shared = this.viewport?.world.shared;
    if (!shared) return;
    const m = world.sensors[0]?.world_from_sensor;
    if (m) shared.viewer.value.set(m[12], m[13], m[14]);
    const [low, high] = world.bounds_m;
    const half = [0, 1].map((axis) => (high[axis] - low[axis]) / 2);
    // A room ends at its walls; what is small is seen whole.
    if (world.closed || Math.min(...half) < 15) shared.ground.value.set(0, 0, 1e30, 1e30);
    else shared.ground.value.set((low[0] + high[0]) / 2, (low[1] + high[1]) / 2, half[0], half[1]);
  }

  async scan(options: Partial<StartScan> = {}): Promise<Layer | null> {
    this.#together();
    const card = await this.attempt(() => send<Card>("POST", "scans", options));
    if (!card) return null;
    const layer = this.adopt(card);
    layer.made = options;
    return layer;
  }

  /** Takes a new layer and looks at it. */
  adopt(card: Card): Layer {
    const layer = this.#upsert(card);
    this.active.value = card.id;
    // A new layer has no difference from another yet: it would be grey.
    if (this.look.value.colourBy === "difference") this.look.patch({ colourBy: "height_m", scale: "viridis", limits: null });
    return layer;
  }

  #upsert(card: Card): Layer {
    const known = this.layer(card.id);
    if (known) {
      known.card = { ...card, offset_m: known.cloud.count > 0 ? known.card.offset_m : card.offset_m };
      return known;
    }
    const layer = new Layer(card, this.#numbers++, this.material, (grown) => this.#grown(grown), () => HELD_MOST - this.layers.value.reduce((sum, other) => sum + other.cloud.count, 0));
    this.clouds.add(layer.group);
    this.layers.value = [...this.layers.value, layer];
    void layer.stream();
    return layer;
  }

  /** Many blocks may come between two pictures: panels hear of them once. */
  #grown(layer: Layer): void {
    if (this.#growing.size === 0) {
      setTimeout(() => {
        for (const grown of this.#growing) grown.place(this.origin);
        this.#growing.clear();
        this.grew.value++;
      }, 30);
    }
    this.#growing.add(layer);
  }

  async remove(layer: Layer): Promise<void> {
    await this.attempt(() => send("DELETE", `layers/${layer.id}`));
    this.#drop([layer.id]);
  }

  #drop(gone: readonly number[]): void {
    if (gone.length === 0) return;
    for (const layer of this.layers.value) if (gone.includes(layer.id)) layer.dispose();
    const { a, b } = this.comparing.value;
    if (gone.includes(a ?? -1) || gone.includes(b ?? -1)) this.comparing.patch({ mode: "off", a: null, b: null });
    if (this.picked.value && gone.includes(this.picked.value.layer.id)) this.picked.value = null;
    if (this.hover.value && gone.includes(this.hover.value.layer.id)) this.hover.value = null;
    this.layers.value = this.layers.value.filter((layer) => !gone.includes(layer.id));
    if (gone.includes(this.active.value ?? -1)) this.active.value = this.layers.value[this.layers.value.length - 1]?.id ?? null;
    for (const layer of this.layers.value) layer.resume();
    this.grew.value++;
  }

  #news(news: News): void {
    if (news.layers.length > 0) {
      for (const card of news.layers) this.#upsert(card);
      if (this.active.value === null) this.active.value = this.layers.value[this.layers.value.length - 1]?.id ?? null;
      this.layers.touch();
    }
    this.#drop(news.gone);
    if (news.jobs.length > 0) {
      const jobs = new Map(this.jobs.value.map((job) => [job.id, job]));
      for (const job of news.jobs) jobs.set(job.id, job);
      this.jobs.value = [...jobs.values()];
    }
    if (news.revision > (this.document.value?.revision ?? 0) && this.document.value) {
      void this.#editing.then(async () => {
        if (news.revision > (this.document.value?.revision ?? 0)) this.take(await get<Document>("document"));
      });
    }
  }
}

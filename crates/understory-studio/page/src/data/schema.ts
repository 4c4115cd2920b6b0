// The JSON schema of scenarios and sensors, as far as forms need it.

export interface Schema {
  $ref?: string;
  $defs?: Record<string, Schema>;
  title?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  required?: string[];
  items?: Schema;
  minItems?: number;
  maxItems?: number;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  oneOf?: Schema[];
  anyOf?: Schema[];
}

/** How a value is edited. */
export type Kind = "table" | "tables" | "vector" | "number" | "integer" | "text" | "flag" | "choice" | "map" | "free";

export class SchemaBook {
  constructor(readonly root: Schema) {}

  /** What stands behind a reference; words beside the reference come first. */
  resolve(schema: Schema): Schema {
    let found = schema;
    for (let depth = 0; found.$ref && depth < 16; depth++) {
      const target = this.root.$defs?.[found.$ref.replace("#/$defs/", "")];
      if (!target) break;
      const { $ref: _, ...beside } = found;
      found = { ...target, ...beside, $ref: target.$ref };
    }
    return found;
  }

  kind(schema: Schema): Kind {
    const own = this.resolve(schema);
    const type = Array.isArray(own.type) ? own.type[0] : own.type;
    if (this.choices(own).length > 0) return "choice";
    if (type === "object") return own.properties ? "table" : "map";
    if (type === "array" && own.items) {
      const items = this.resolve(own.items);
      if (items.type === "object") return "tables";
      if ((items.type === "number" || items.type === "integer") && own.minItems !== undefined && own.minItems === own.maxItems && own.minItems <= 4) return "vector";
      return "free";
    }
    if (type === "number") return "number";
    if (type === "integer") return "integer";
    if (type === "string") return "text";
    if (type === "boolean") return "flag";
    return "free";
  }

  /** The words of which one is to be chosen; none where anything may stand. */
  choices(schema: Schema): { value: string; help: string }[] {
    const own = this.resolve(schema);
    if (own.enum) return own.enum.map((value) => ({ value: String(value), help: "" }));
    if (own.oneOf?.every((one) => typeof one.const === "string")) return own.oneOf.map((one) => ({ value: String(one.const), help: one.description ?? "" }));
    return [];
  }

  /** What a value must be, in words. */
  limits(schema: Schema): string {
    const own = this.resolve(schema);
    const item = own.items ? this.resolve(own.items) : own;
    const words: string[] = [];
    const tame = (value: number) => Math.abs(value) < 1e9;
    if (item.exclusiveMinimum !== undefined && tame(item.exclusiveMinimum)) words.push(`above ${item.exclusiveMinimum}`);
    if (item.minimum !== undefined && tame(item.minimum)) words.push(`at least ${item.minimum}`);
    if (item.exclusiveMaximum !== undefined && tame(item.exclusiveMaximum)) words.push(`below ${item.exclusiveMaximum}`);
    if (item.maximum !== undefined && tame(item.maximum)) words.push(`at most ${item.maximum}`);
    if (own.default !== undefined) words.push(`${JSON.stringify(own.default)} where nothing is said`);
    return words.join(", ");
  }

  /** What a key is, with its limits, for a hint. */
  help(key: string, schema: Schema): string {
    const own = this.resolve(schema);
    const limits = this.limits(schema);
    return [key, own.description?.replaceAll("\n", " "), limits ? `${limits[0].toUpperCase()}${limits.slice(1)}.` : ""].filter(Boolean).join("\n");
  }

  /** A first value for a key that is added. */
  first(schema: Schema): unknown {
    const own = this.resolve(schema);
    if (own.default !== undefined) return own.default;
    const clamp = (item: Schema): number => {
      const low = item.minimum ?? item.exclusiveMinimum ?? -Infinity;
      const high = item.maximum ?? item.exclusiveMaximum ?? Infinity;
      const fits = (value: number) => value >= low && value <= high && value !== item.exclusiveMinimum && value !== item.exclusiveMaximum;
      const tame = [0, 1, low, high].find(fits) ?? (low + high) / 2;
      return Number.isFinite(tame) ? tame : 0;
    };
    switch (this.kind(own)) {
      case "choice": return this.choices(own)[0].value;
      case "number":
      case "integer": return clamp(own);
      case "vector": return Array.from({ length: own.minItems ?? 3 }, () => clamp(this.resolve(own.items ?? {})));
      case "flag": return true;
      case "text": return "";
      case "table": return this.firstTable(own);
      case "tables": return [this.firstTable(this.resolve(own.items ?? {}))];
      case "map": return {};
      case "free": {
        const option = own.anyOf?.[0];
        if (option) return this.first(option);
        return own.type === "array" ? [] : "";
      }
    }
  }

  firstTable(schema: Schema): Record<string, unknown> {
    const own = this.resolve(schema);
    const out: Record<string, unknown> = {};
    for (const key of own.required ?? []) if (own.properties?.[key]) out[key] = key === "name" ? "new" : this.first(own.properties[key]);
    return out;
  }
}

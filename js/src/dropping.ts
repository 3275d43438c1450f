/** The steps for values that are left out or refused. */
import { each, Op, skip, switching } from "./ops.js";
import { bad, Path, Planner } from "./planning.js";
import { Constructor, cut, Definition, Shape, tagSize } from "./shapes.js";
import { leafOps } from "./whole.js";

/** The steps that leave out a value. They decode no more than its extent. */
export function dropShape(planner: Planner, path: Path, s: Shape): Op[] {
  const inner = (x: Shape): Op[] => dropShape(planner, path, x);
  const twice = (ops: Op[]): Op[] => [...ops, ...ops];
  switch (s.k) {
    case "leaf": return leafOps(false, s);
    case "between": return leafOps(false, s.leaf);
    case "ratio": return twice(inner(s.of));
    case "maybe": return [switching("Maybe", 1, false, [[], inner(s.of)])];
    case "tuple": return s.of.flatMap(inner);
    case "list": case "nonEmpty": case "set": return [each(s.compact, null, 0, inner(s.of))];
    case "map": return [each(s.compact, null, 0, [...inner(s.key), ...inner(s.value)])];
    case "array": return [...twice(inner(s.index)), each(false, null, 0, inner(s.of))];
    case "constant": return [skip(s.bytes.length)];
    case "reference": return planner.call(path, { kind: "dropping", old: s.to });
    case "opaque": return s.size === null ? bad(path, "NotDescribed", s.name) : [skip(Number(s.size))];
    case "irregular": return bad(path, "IsIrregular", s.name);
    case "packed": return planner.call(path, { kind: "droppingPacked", shape: s.of });
    case "unpacked": return inner(s.of);
  }
}

/** The same for a value of a definition. */
export function dropDefinition(planner: Planner, path: Path, d: Definition): Op[] {
  const inside = (c: Constructor): Op[] => c.fields.flatMap((f) => dropShape(planner, path, f.shape));
  if (d.form !== "sum") return d.constructors.flatMap(inside);
  const found = d.constructors.map((c) => (c.retired ? retired(c) : inside(c)));
  return [switching(cut(d.name), tagSize(d.constructors.length), false, found)];
}

/** The alternative that refuses a constructor that is no longer in use. */
export const retired = (c: Constructor): string => refused(c, "which is no longer in use");

/** The alternative that refuses a constructor, given why. */
export const refused = (c: Constructor, why: string): string => `constructor ${cut(c.name)}, ${why}`;

import { basename } from "node:path";
import type { Store } from "../../trace/store.ts";

/** Where a call was made, in words. */
export interface Place {
  /** "function file:line", or "function+0x..."; undefined if nothing is known. */
  source: string | undefined;
  /** The function alone. */
  function: string | undefined;
  /** From the site outwards: functions inlined there, then the callers that the run recorded. */
  path: string[];
}

interface FrameRow extends Record<string, unknown> {
  state: number;
  depth: number;
  inlined: number | null;
  site: string;
  function: string | null;
  file: string | null;
  line: number | null;
}

/**
 * Places of states from the table `symbols`, see src/symbols: with names as far as the files of the run were
 * there when it was analysed, else as module and offset.
 */
export async function readPlaces(
  store: Store,
  states: readonly number[],
): Promise<Map<number, Place>> {
  const found = new Map<number, Place>();
  if (states.length === 0) return found;
  const rows = await store.rows<FrameRow>(`
    WITH wanted AS (SELECT state, path, module, "offset" FROM states WHERE state IN (${states.join(", ")})),
         places AS (
      SELECT state, 0 AS depth, module, "offset" FROM wanted
      UNION
      SELECT w.state, f.depth, f.module, f."offset" FROM frames f JOIN wanted w USING (path))
    SELECT p.state, p.depth, y.depth AS inlined, y.function, y.file, y.line,
           regexp_extract(m.path, '[^/]*$') || printf('+0x%x', p."offset") AS site
      FROM places p JOIN modules m USING (module)
      LEFT JOIN symbols y ON y.module = p.module AND y."offset" = p."offset"
     ORDER BY p.state, p.depth, y.depth`);
  for (const row of rows) {
    const words = row.function === null ? undefined : describe(row.function, row);
    const place = found.get(row.state) ?? {
      source: words,
      function: row.function ?? undefined,
      path: [],
    };
    place.path.push(words ?? row.site);
    found.set(row.state, place);
  }
  return found;
}

function describe(called: string, { file, line }: FrameRow): string {
  return file === null || line === null ? called : `${called} ${basename(file)}:${line}`;
}

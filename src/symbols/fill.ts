import type { Store } from "../trace/store.ts";
import { cacheFolder } from "./cache.ts";
import { type ModuleFile, resolvePlaces, type ResolveOptions } from "./resolve.ts";

/** Places that are looked up, those of the busiest states first: no report shows as many. */
const MOST_PLACES = 5000;

/** How the warning on a changed file starts; told by this, earlier ones are taken back. */
const CHANGED = "no names of functions for";

interface PlaceRow extends Record<string, unknown> {
  module: number;
  path: string;
  build_id: string;
  offset: number;
}

/**
 * Fills the table `symbols` for the call sites of a store and the frames of their paths, as far as files
 * on this machine tell. Modules whose file has changed since the run get a warning.
 */
export async function fillSymbols(store: Store, options?: ResolveOptions): Promise<void> {
  const settings = options ?? { cache: cacheFolder(process.env) };
  await store.execute(`DELETE FROM symbols; DELETE FROM warnings WHERE text LIKE '${CHANGED} %'`);
  const places = await store.rows<PlaceRow>(`
    WITH places AS (
      SELECT module, "offset", min(state) AS first FROM states GROUP BY ALL
      UNION ALL
      SELECT f.module, f."offset", min(s.state) FROM frames f JOIN states s USING (path) GROUP BY ALL)
    SELECT module, m.path, m.build_id, "offset" AS "offset"
      FROM places JOIN modules m USING (module)
     WHERE "offset" > 0 GROUP BY ALL ORDER BY min(first), module, "offset" LIMIT ${MOST_PLACES}`);
  for (const module of new Set(places.map((place) => place.module))) {
    const rows = places.filter((place) => place.module === module);
    await fillModule(store, rows, settings);
  }
}

async function fillModule(
  store: Store,
  rows: readonly PlaceRow[],
  options: ResolveOptions,
): Promise<void> {
  const { module, path, build_id: buildId } = rows[0]!;
  const file: ModuleFile = { path, buildId };
  const offsets = rows.map(({ offset }) => offset);
  const { frames, changed } = await resolvePlaces(file, offsets, options);
  const appender = await store.connection.createAppender("symbols");
  for (const [at, offset] of offsets.entries()) {
    for (const [depth, frame] of (frames[at] ?? []).entries()) {
      appender.appendInteger(module);
      appender.appendBigInt(BigInt(offset));
      appender.appendInteger(depth);
      appender.appendVarchar(frame.function);
      if (frame.file === null) appender.appendNull();
      else appender.appendVarchar(frame.file);
      if (frame.line === null) appender.appendNull();
      else appender.appendInteger(frame.line);
      appender.endRow();
    }
  }
  appender.closeSync();
  if (!changed) return;
  await store.connection.run("INSERT INTO warnings VALUES (?)", [
    `${CHANGED} ${path}: the file is not the one that ran (another build id)`,
  ]);
}

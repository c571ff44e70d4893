import { DuckDBConnection, DuckDBInstance, type DuckDBValue, version } from "@duckdb/node-api";
import { UserError } from "../user-error.ts";

export type Row = Record<string, unknown>;

/** Limits of DuckDB inside varscope; spilling goes beside the store, never into the working directory. */
export interface StoreOptions {
  readOnly?: boolean;
  /** DuckDB's buffers, for example "2GB". */
  memoryLimit?: string;
  threads?: number;
}

/**
 * The one owner of a DuckDB file: no other module imports DuckDB to open one, because two instances
 * on the same file in one process lose data silently.
 */
export class Store {
  readonly path: string;
  private readonly instance: DuckDBInstance;
  readonly connection: DuckDBConnection;

  private constructor(path: string, instance: DuckDBInstance, connection: DuckDBConnection) {
    this.path = path;
    this.instance = instance;
    this.connection = connection;
  }

  /**
   * Opens or creates the file at `path`; ":memory:" for tests.
   * @throws UserError if it is locked by another process or not a DuckDB file
   */
  static async open(path: string, options: StoreOptions = {}): Promise<Store> {
    const settings: Record<string, string> = {
      memory_limit: options.memoryLimit ?? "4GB",
      autoinstall_known_extensions: "false",
      autoload_known_extensions: "false",
    };
    if (options.threads) settings["threads"] = String(options.threads);
    if (path !== ":memory:") settings["temp_directory"] = `${path}.tmp`;
    if (options.readOnly) settings["access_mode"] = "READ_ONLY";
    try {
      const instance = await DuckDBInstance.create(path, settings);
      return new Store(path, instance, await instance.connect());
    } catch (error) {
      const reason = String(error instanceof Error ? error.message : error).split("\n")[0];
      throw new UserError(`cannot open the store ${path}: ${reason}`);
    }
  }

  /** Runs one or several statements and drops their results. */
  async execute(sql: string): Promise<void> {
    await this.connection.run(sql);
  }

  /**
   * All rows of a query as plain objects; for small results only. BIGINT and HUGEINT become numbers.
   * @throws RangeError if such a number is not exact in a double
   */
  async rows<T extends Row = Row>(sql: string, parameters: DuckDBValue[] = []): Promise<T[]> {
    const reader = await this.connection.runAndReadAll(sql, parameters);
    return reader.getRowObjectsJS().map((row) => plainNumbers(row) as T);
  }

  /** The first row, or undefined. */
  async row<T extends Row = Row>(
    sql: string,
    parameters: DuckDBValue[] = [],
  ): Promise<T | undefined> {
    return (await this.rows<T>(sql, parameters))[0];
  }

  /** Writes everything into the file and lets go of it; must be called, or the file stays locked. */
  close(): void {
    this.connection.closeSync();
    this.instance.closeSync();
  }
}

/** Version of DuckDB itself; its file format can change with it. */
export function duckdbVersion(): string {
  return version();
}

function plainNumbers(row: Row): Row {
  for (const [key, value] of Object.entries(row)) {
    if (typeof value === "bigint") row[key] = exactNumber(value);
    else if (Array.isArray(value)) {
      row[key] = value.map((item: unknown) =>
        typeof item === "bigint" ? exactNumber(item) : item,
      );
    }
  }
  return row;
}

function exactNumber(value: bigint): number {
  const number = Number(value);
  if (!Number.isSafeInteger(number)) throw new RangeError(`${value} is not exact as a number`);
  return number;
}

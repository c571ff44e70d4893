import type { IngestProgress } from "../trace/ingest.ts";
import { formatCount } from "../report/text/numbers.ts";
import type { Effects } from "./effects.ts";

const SHORTEST_MS = 100;

/** One line on stderr that is written over, and gone at the end; silent unless stderr is a terminal. */
export class Progress {
  private readonly effects: Effects;
  private shown = false;
  private last = 0;

  constructor(effects: Effects) {
    this.effects = effects;
  }

  show(now: IngestProgress): void {
    if (Date.now() - this.last < SHORTEST_MS) return;
    this.say(
      `reading traces: ${now.filesDone} of ${now.files} files, ${formatCount(now.rows)} calls`,
    );
  }

  say(text: string): void {
    if (!this.effects.errorIsTerminal) return;
    this.last = Date.now();
    this.shown = true;
    this.effects.err(`\r\x1b[Kvarscope: ${text}`);
  }

  end(): void {
    if (this.shown) this.effects.err("\r\x1b[K");
    this.shown = false;
  }
}
